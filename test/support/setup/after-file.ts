import { afterAll } from '@jest/globals';
import { cleanUp } from '../clean-up.js';

afterAll(cleanUp);
