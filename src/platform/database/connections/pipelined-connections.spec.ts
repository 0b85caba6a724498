import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { DatabaseError, type Client } from 'pg';
import { PipelinedConnections } from './pipelined-connections.js';

/** What `pg` reads of a `Query`. */
interface FakeQuery {
  name: string;
  callback: (error: Error | null, result?: { rows: string[] }) => void;
}

/** A client whose statements are answered by the test. */
class FakeClient extends EventEmitter {
  readonly connection = { stream: new PassThrough() };
  readonly sent: { name: string; resolve: (rows: string[]) => void; reject: (error: Error) => void }[] = [];
  isEnded = false;

  constructor(private readonly opened: Promise<void>) {
    super();
  }

  connect(): Promise<void> {
    return this.opened;
  }

  query({ name, callback }: FakeQuery): void {
    this.sent.push({ name, resolve: (rows) => callback(null, { rows }), reject: callback });
  }

  end(): Promise<void> {
    this.isEnded = true;
    return Promise.resolve();
  }

  answer(): void {
    const statement = this.sent.shift();
    statement?.resolve([`${statement.name} answered`]);
  }

  /** What `pg` does when a connection breaks. */
  lose(error = new Error('Connection terminated unexpectedly')): void {
    for (const { reject } of this.sent.splice(0)) reject(error);
    this.emit('error', error);
  }
}

function setup(size = 2, opened: (index: number) => Promise<void> = () => Promise.resolve()) {
  const clients: FakeClient[] = [];
  const connections = new PipelinedConnections(size, () => {
    const client = new FakeClient(opened(clients.length));
    clients.push(client);
    return client as unknown as Client;
  });
  const query = async (name: string) => (await connections.query({ name, text: '' })).rows;
  const sent = () => clients.map((client) => client.sent.map(({ name }) => name));
  const answerAll = () => {
    for (const client of clients) while (client.sent.length > 0) client.answer();
  };
  return { connections, clients, query, sent, answerAll };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function databaseError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('failed', 0, 'error'), { code });
}

describe('pipelined connections', () => {
  it('send a statement at once, on the least busy connection', async () => {
    const { clients, query, sent, answerAll } = setup();
    const answers: ReturnType<typeof query>[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      answers.push(query(name));
      await turn();
    }
    expect(sent()).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
    clients[1]!.answer();
    expect(await answers[1]).toEqual(['b answered']);
    const next = query('e');
    await turn();
    expect(sent()).toEqual([
      ['a', 'c'],
      ['d', 'e'],
    ]);
    answerAll();
    expect(await Promise.all([...answers, next])).toHaveLength(5);
  });

  it('send the statements of one turn on one connection', async () => {
    const { query, sent, answerAll } = setup();
    const answers = ['a', 'b', 'c'].map(query);
    await turn();
    answers.push(...['d', 'e'].map(query));
    await turn();
    expect(sent()).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    answerAll();
    expect(await Promise.all(answers)).toHaveLength(5);
  });

  it('share a burst', async () => {
    const { query, sent, answerAll } = setup();
    const answers = Array.from({ length: 100 }, (_, index) => query(String(index)));
    await turn();
    const [one, other] = sent().map(({ length }) => length);
    expect([one, other]).toEqual([50, 50]);
    answerAll();
    expect(await Promise.all(answers)).toHaveLength(100);
  });

  it('open no second connection while the first is idle', async () => {
    const { clients, query, answerAll } = setup();
    for (const name of ['a', 'b']) {
      const answer = query(name);
      await turn();
      answerAll();
      await answer;
    }
    expect(clients).toHaveLength(1);
  });

  it('close all of them', async () => {
    const { connections, clients, query, answerAll } = setup();
    const answers = [query('a')];
    await turn();
    answers.push(query('b'));
    await turn();
    answerAll();
    await Promise.all(answers);
    connections.close();
    expect(clients.map(({ isEnded }) => isEnded)).toEqual([true, true]);
  });

  it('replace a connection that is lost', async () => {
    const { clients, query } = setup(1);
    const answer = query('a');
    await turn();
    clients[0]!.lose();
    await expect(answer).rejects.toThrow('Connection terminated');
    const next = query('b');
    await turn();
    clients[1]!.answer();
    expect(await next).toEqual(['b answered']);
  });

  // A statement did not run because one before it was not prepared.
  it.each(['26000', '42P05'])('replace a connection that answers %s', async (code) => {
    const { clients, query } = setup(1);
    const answer = query('a');
    await turn();
    clients[0]!.sent.shift()?.reject(databaseError(code));
    await expect(answer).rejects.toMatchObject({ code });
    expect(clients[0]!.isEnded).toBe(true);
    query('b').catch(() => undefined);
    expect(clients).toHaveLength(2);
  });

  it('report why a connection cannot be opened, and open another for the next statement', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { clients, query } = setup(1, () => Promise.reject(refused));
    const answer = query('a');
    await turn();
    clients[0]!.lose();
    await expect(answer).rejects.toBe(refused);
    query('b').catch(() => undefined);
    expect(clients).toHaveLength(2);
  });
});
