import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import type { KeyEventKind } from './key-event.entity.js';

export interface KeyEventRow {
  id: bigint;
  key_id: string;
  kind: KeyEventKind;
}

const RECENT: Statement = {
  name: 'recent-key-events',
  text: `select id, key_id, kind from key_events where at > now() - make_interval(secs => $1)`,
};

/** Changes of keys, for replicas that have to hear of them. */
@Injectable()
export class KeyEventsRepository {
  constructor(private readonly database: Database) {}

  /** What was begun within the last seconds, by the database's clock; ids are not committed in their order. */
  recent(withinSeconds: number): Promise<KeyEventRow[]> {
    return this.database.query<KeyEventRow>(RECENT, [withinSeconds]);
  }
}
