import { without } from '../../base/fields.ts'
import type { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import type { ContainerPlaces, OpenPlace, Synchronized } from '../../work/synchronize/synchronized.ts'
import { containerById, everyContainerFor, findContainersFor } from '../containers/find-container.ts'
import type { KeyKind, KeyTypes, Opening } from './kind.ts'
import { assertHas } from './place.ts'
import { unreadKey } from './record-key.ts'

/** A place that a job reads. */
interface ReadPlace<T extends KeyTypes> extends Opening {
  readonly domain: string
  readonly stored: Stored<T['container']>
  readonly place: T['place']
}

/**
 * Whether a job reads every record of a container, also where digests are equal: a record may be damaged in a field that
 * the cloud does not describe. Ours: the first job that begins on a day (UTC).
 */
const readsRecords = ({ records_read_at }: KeyTypes['container'], begun: Date): boolean =>
  records_read_at?.slice(0, DATE_CHARS) !== begun.toISOString().slice(0, DATE_CHARS)
/** `2026-01-31` */
const DATE_CHARS = 10

/** How the keys of one cloud are synchronized. */
interface Synchronizes<T extends KeyTypes, Read> {
  /** the permission that a synchronization requires in a container */
  readonly may: string
  /** the field of a body that lists containers */
  readonly containerList: string
  /** whether a synchronization of all containers includes this one */
  readonly isRead?: (container: T['container']) => boolean
  /** the single region of a container whose keys do not state a region */
  readonly locationOf?: (container: T['container']) => string
  /** whether the places of keys in their family have digests (`OpenPlace.digestOf`); then records are read seldom */
  readonly hasDigests?: true
  readonly read: (at: ReadPlace<T>) => Promise<OpenPlace<Read, T['key']>>
  /**
   * The container's record after places of it were read completely; `undefined` leaves it unchanged. May stage further
   * work.
   */
  readonly noted: (
    container: T['container'],
    regions: readonly string[],
    now: Date,
    changes: Changes,
    domain: string,
  ) => T['container'] | undefined
}

/** Synchronization of one kind of keys. */
export function synchronizedKeys<T extends KeyTypes, Read>(
  kind: KeyKind<T>,
  {
    may,
    containerList,
    isRead = () => true,
    locationOf = () => '',
    read,
    noted: afterReading,
    hasDigests,
  }: Synchronizes<T, Read>,
): Synchronized<Read, T['key'], T['row']> {
  const { containers, entity, familyOf, refOf, open } = kind
  const { regions } = containers
  const placesOf = (container: T['container']): ContainerPlaces => ({
    id: container.id,
    name: containers.nameOf(container),
    regions: regions?.(container) ?? [locationOf(container)],
  })
  /** @throws Refusal NOT_FOUND, STATE_CONFLICT */
  const containerWith = async (domain: string, id: string, region: string): Promise<Stored<T['container']>> => {
    const stored = await containerById(containers, domain, id)
    containers.assertActive?.(stored.item)
    assertHas(kind, stored.item, { container: id, region })
    return stored
  }
  return {
    entity,
    placeName: (container, region) => (regions === undefined ? container : `${container}/${region}`),
    family: familyOf,
    refOf,
    isGone: ({ gone }) => gone,
    unread: unreadKey,
    named: async (context, references) =>
      (await findContainersFor(containers, context, references, may, containerList)).map(placesOf),
    all: async ({ caller }) => (await everyContainerFor(containers, caller, may)).filter(isRead).map(placesOf),
    open: async (domain, id, region, when) => {
      const stored = await containerWith(domain, id, region)
      const how: Opening = { ...when, region, patience: 'job' }
      const opened = await read({ ...how, domain, stored, place: await open(domain, stored.item, how) })
      return readsRecords(stored.item, when.begun) ? without(opened, 'digestOf') : opened
    },
    assertThere: async (domain, id, region) => {
      await containerWith(domain, id, region)
    },
    noteSynchronized: async (changes, domain, id, read, { now, begun }) => {
      const stored = await containers.entity.get(domain, id)
      const after = stored && afterReading(stored.item, read, now, changes, domain)
      if (stored === undefined || after === undefined) return
      const isRead = hasDigests === true && readsRecords(stored.item, begun)
      const noted = isRead ? { ...after, records_read_at: begun.toISOString() } : after
      changes.update(containers.entity, domain, stored, noted)
    },
  }
}
