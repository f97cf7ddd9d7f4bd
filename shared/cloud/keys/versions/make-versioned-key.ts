import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { sagas } from '../../../work/sagas/store.ts'
import { containerById } from '../../containers/find-container.ts'
import { MADE } from '../../contract.ts'
import { noLongerThere, tellOfKey } from '../find-key.ts'
import type { Makes, Making } from '../make-key.ts'
import { compared, stageVersions } from './compare-versions.ts'
import { newKeyRecord, type Outcome } from './key-records.ts'
import { sourceOf } from './record-versions.ts'
import { readWhole, storedVersions, type FollowsVersions, type VersionedTypes, type Whole } from './kind.ts'

/** Where the input of work that makes a key says what is made, and how keys are reached there. */
interface Named<T extends VersionedTypes, Input> {
  readonly containerIdOf: (input: Input) => string
  /** the cloud's name of the key */
  readonly refOf: (input: Input) => string
  readonly reach: (context: Context, containerId: string) => Promise<T['place']>
}

/**
 * Stages the record of a key that was made, and those of its versions. A record of the same name that exists already is
 * removed: a synchronization found the key and could not know whose it is.
 * @throws Refusal NOT_FOUND when the container is gone by now
 */
async function recordMade<T extends VersionedTypes>(
  kind: FollowsVersions<T>,
  context: Context,
  made: { readonly id: string; readonly containerId: string; readonly ref: string; readonly whole: Whole<T> },
  localKeyId: string | undefined,
  outcome: Outcome,
): Promise<Stored<T['shown']>> {
  const { keys } = kind
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { id, containerId, ref, whole } = made
  const source = localKeyId === undefined ? undefined : await sourceOf(context, localKeyId)
  const container = await containerById(keys.containers, domain, containerId)
  changes.rely(keys.containers.entity, domain, container) // its keys are not being removed with it
  const sources = new Map(source === undefined ? [] : whole.versions.map((version) => [version.ref, source] as const))
  const versions = compared(kind, domain, id, [], whole.versions, now, sources)
  const key = newKeyRecord(kind, domain, container.item, whole, versions.all, { id, now, ...outcome })
  const there = await keys.entity.membersBy(domain, kind.keysIn(containerId), [ref])
  for (const former of await keys.entity.getMany(domain, [...there.values()])) {
    changes.remove(keys.entity, domain, former)
    for (const version of await storedVersions(kind, domain, former.item.id))
      changes.remove(kind.entity, domain, version)
  }
  changes.create(keys.entity, domain, key)
  stageVersions(kind, changes, domain, versions.changes)
  tellOfKey(keys, context, key)
  return keys.present({ item: key, rev: 1 }, container.item)
}

/** Why a piece of work is being taken back. */
async function refusalOf({ caller }: Pick<Context, 'caller'>, { id }: Journal): Promise<string> {
  const saga = await sagas.get(caller.domain.id, id)
  return saga?.item.refusal?.message ?? 'It was refused.'
}

/**
 * How keys with versions are made. Ours: since no key can be deleted, one that cannot be finished is recorded as `failed`.
 */
export function makingVersioned<T extends VersionedTypes, Input extends Making<T>>(
  kind: FollowsVersions<T>,
  { containerIdOf, refOf, reach }: Named<T, Input>,
): Makes<T, Input> {
  const recorded = (context: Context, input: Input, whole: Whole<T>, localKeyId: string | undefined, to: Outcome) => {
    const made = { id: input.id, containerId: containerIdOf(input), ref: refOf(input), whole }
    return recordMade(kind, context, made, localKeyId, to)
  }
  return {
    kind: kind.keys,
    familyOf: (input) => kind.keysIn(containerIdOf(input)),
    reach: (context, input) => reach(context, containerIdOf(input)),
    wholeOf: async (place, { ref }) => {
      const whole = await readWhole(kind, place, ref)
      if (whole === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'The cloud does not know the key it has made.')
      return whole
    },
    record: (context, input, whole, localKeyId) =>
      recorded(context, input, whole, localKeyId, { create_status: 'success' }),
    abandon: async (context, input, journal, localKeyId) => {
      if (journal.noted(MADE) === undefined) return
      const whole = await readWhole(kind, await reach(context, containerIdOf(input)), refOf(input))
      if (whole === undefined) throw noLongerThere()
      const error = await refusalOf(context, journal)
      await recorded(context, input, whole, localKeyId, { create_status: 'failed', error })
    },
  }
}

/**
 * Ours: a name that we know to be taken is refused before the cloud is asked, which refuses all others itself.
 * @param pointer where a body names the key
 * @throws Refusal NAME_TAKEN
 */
export async function assertNameFree<T extends VersionedTypes>(
  { keys, keysIn }: FollowsVersions<T>,
  { caller }: Pick<Context, 'caller'>,
  container: T['container'],
  name: string,
  pointer: string,
): Promise<void> {
  const known = await keys.entity.membersBy(caller.domain.id, keysIn(container.id), [name])
  if (known.size === 0) return
  const message = `The ${keys.containers.noun} has a key named ${name} already: the cloud gives no name twice.`
  throw new Refusal('NAME_TAKEN', message, { errors: [{ pointer, detail: 'is taken' }] })
}
