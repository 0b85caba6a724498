import { isAccessEnough } from '../auth/access.js';
import type { CallerKey } from '../auth/caller-key.js';
import { parseJson } from '../platform/common/json.js';
import { PetDto } from '../pets/dto/pets.dto.js';
import { OrderDto } from '../store/dto/store.dto.js';
import type { EventDto } from './dto/events.dto.js';
import type { StoredEvent } from './feed/stored-event.js';

/** An event as a key with this access sees it. Every read and every delivery shows the same. */
export function eventDtoOf(
  { id, type, at, actor, data }: StoredEvent,
  access: CallerKey['access'],
): EventDto {
  const shown = { id, type, timestamp: at, data: dataOf(type, data) };
  return (isAccessEnough(access, 'manage') ? { ...shown, actor } : shown) as EventDto;
}

/** The row of an animal or order as its DTO shows it. The other types have their data as it is. */
function dataOf(type: StoredEvent['type'], text: string): unknown {
  const data = parseJson(Buffer.from(text));
  if (type.startsWith('pet.')) return PetDto.from(entityOf(data) as Parameters<typeof PetDto.from>[0]);
  if (type.startsWith('order.')) return OrderDto.from(entityOf(data) as Parameters<typeof OrderDto.from>[0]);
  return data;
}

/** The properties of a row that PostgreSQL has written as JSON: columns are in snake case, and the names of moments end in `_at`. */
function entityOf(row: unknown): unknown {
  const properties = Object.entries(row as Record<string, unknown>).map(([column, value]) => [
    column.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
    column.endsWith('_at') && typeof value === 'string' ? new Date(value) : value,
  ]);
  return Object.fromEntries(properties);
}
