import { Injectable } from '@nestjs/common';
import { RefusedInputError } from '../../platform/common/errors/refused-input-error.js';
import { describeValue } from '../../platform/common/describe-value.js';
import { displayPrefix, hashApiKey, isDisplayPrefix, isWellFormedApiKey } from './secrets/api-key-format.js';
import { keyIdOf } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeySecretsRepository } from './secrets/key-secrets.repository.js';

/** How many candidates a refusal names. */
const MAX_NAMED = 5;

/** Finds a key by what people have of it, for commands. A secret that is kept finds its key, whether it still works or not. */
@Injectable()
export class KeyFinder {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly secrets: KeySecretsRepository,
  ) {}

  /**
   * The id of the key that `text` names: its UUID, the first 12 characters of one of its secrets, or its name where no other key has it.
   * Whether a key has that UUID is not asked.
   *
   * @throws RefusedInputError for no key or several
   */
  async idOf(text: string): Promise<string> {
    const id = keyIdOf(text);
    if (id !== undefined) return id;
    const ids = [...(await this.idsWithPrefix(text)), ...(await this.keys.idsWithName(text))];
    return this.only(ids, `the id, the prefix or the name ${describeValue(text)}`);
  }

  /**
   * The id of the key of a secret, or of its first 12 characters.
   *
   * @throws RefusedInputError for another text, and for no key or several. No message shows more of a secret than its prefix.
   */
  async idOfSecret(text: string): Promise<string> {
    if (isDisplayPrefix(text)) return this.only(await this.idsWithPrefix(text), `the prefix ${text}`);
    if (!isWellFormedApiKey(text))
      throw new RefusedInputError(
        'standard input: expected a secret (ask_ and 49 characters with a right checksum) or its first 12 characters',
      );
    const id = await this.secrets.keyIdOfHash(hashApiKey(text));
    return this.only(id === undefined ? [] : [id], `the secret ${displayPrefix(text)}…`);
  }

  private async idsWithPrefix(text: string): Promise<string[]> {
    return isDisplayPrefix(text) ? this.secrets.keyIdsWithPrefix(text) : [];
  }

  private async only(found: readonly string[], what: string): Promise<string> {
    const [id, ...others] = new Set(found);
    if (id === undefined) throw new RefusedInputError(`There is no key with ${what}.`);
    if (others.length === 0) return id;
    const named = await this.keys.prefixesOf([id, ...others].slice(0, MAX_NAMED));
    const more = others.length + 1 - named.length;
    const list =
      named.map((key) => `${key.id} (${key.prefix})`).join(', ') + (more > 0 ? `, and ${more} more` : '');
    throw new RefusedInputError(`${others.length + 1} keys have ${what}. Take the id or the prefix: ${list}`);
  }
}
