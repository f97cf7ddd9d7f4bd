import { Refusal } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { recordExport, withMaterial } from '../../vault/keys/material/leave.ts'
import { isFinal } from '../../base/attempts.ts'
import { sagas } from '../../work/sagas/store.ts'
import { containerById } from '../containers/find-container.ts'
import { cannot } from '../adapter/lazy.ts'
import { MADE } from '../contract.ts'
import { nounOf, tellOfKey } from './find-key.ts'
import { answeredKeys, type Home, type KeyKind, type KeySaga, type KeyTypes, type NewKey } from './kind.ts'
import { assertHas, hasRegion, reach, reachAgain, recipientIn } from './place.ts'
import { localSource, sourceFor, sourceSoFar, type WantedSource } from './source-key.ts'

/** Input of a saga that creates a key. */
export interface Creation<T extends KeyTypes> extends WantedSource {
  /** id of the future record, and the mark on the cloud's key */
  readonly id: string
  readonly home: Home
  readonly spec: T['spec']
  /** fields of the record that are unknown to the cloud */
  readonly known?: object | undefined
}

/** A key that was created at its cloud. */
export interface MadeKey<T extends KeyTypes> {
  readonly ref: string
  readonly whole: T['whole']
  readonly localKeyId?: string | undefined
}

/** The refs of a home without a record. */
export async function unrecordedIn<T extends KeyTypes>(
  { entity, familyOf }: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  { container, region }: Home,
  refs: readonly string[],
): Promise<readonly string[]> {
  const known = await entity.membersBy(caller.domain.id, familyOf(container, region), refs)
  return refs.filter((ref) => !known.has(ref))
}

/** Ignores the refusal when the cloud does not permit an undo, so that no caller waits for it. */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isFinal(error)) throw error
    log('error', 'what was done cannot be taken back', errorFields(error))
  }
}

/** The refusal that caused the undo of the saga that created a key. */
export async function refusalOf(domain: string, sagaId: string): Promise<string> {
  const saga = await sagas.get(domain, sagaId)
  return saga?.item.refusal?.message ?? 'It was refused.'
}

/** Creates a key at its cloud: with material that the cloud generates, or with that of a local key. */
export async function makeAt<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  { place, home }: { readonly place: T['place']; readonly home: Home },
  spec: T['spec'],
  localKeyId: string | undefined,
  journal: Journal,
): Promise<T['read']> {
  const { create, upload } = kind.cloud
  if (localKeyId === undefined) return create(place, spec, journal)
  if (upload === undefined) throw cannot(kind.service, 'upload')
  const recipient = recipientIn(kind, home)
  return withMaterial(context, recipient, localKeyId, (material) => upload(place, spec, material, journal))
}

/**
 * Stages the record of a created key, and the removal of a record with the same ref: a synchronization found the key
 * before it could read the mark, or the key is a replica whose predecessor was deleted.
 * @throws Refusal NOT_FOUND when the container was deleted meanwhile, STATE_CONFLICT when it has lost the region
 */
export async function recordNew<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  ref: string,
  whole: T['whole'],
  facts: NewKey,
): Promise<Stored<T['shown']>> {
  const { caller, changes } = context
  const { entity, containers } = kind
  const domain = caller.domain.id
  const { container: containerId, region } = facts.home
  const container = await containerById(containers, domain, containerId)
  assertHas(kind, container.item, facts.home)
  changes.rely(containers.entity, domain, container) // fails if the region's keys are being removed
  const former = await entity.membersBy(domain, kind.familyOf(containerId, region), [ref])
  for (const record of await entity.getMany(domain, [...former.values()], 'salvage')) {
    changes.remove(entity, domain, record)
    await kind.removed?.(context, record.damage === undefined ? record.item : { ...record.item, id: record.damage.id })
  }
  const key = await kind.made(context, container.item, whole, facts)
  changes.create(entity, domain, key)
  tellOfKey(kind, context, key)
  return kind.present({ item: key, rev: 1 }, container.item)
}

const factsOf = async <T extends KeyTypes>(
  context: Context,
  { id, home, known }: Pick<Creation<T>, 'id' | 'home' | 'known'>,
  localKeyId: string | undefined,
  outcome: NewKey['outcome'],
): Promise<NewKey> => ({
  id,
  home,
  known,
  outcome,
  source: localKeyId === undefined ? undefined : await localSource(context, localKeyId),
})

/** Stages the record of a key that a saga created. */
export async function recordMade<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  creation: Pick<Creation<T>, 'id' | 'home' | 'known'>,
  { ref, whole, localKeyId }: MadeKey<T>,
): Promise<Stored<T['shown']>> {
  if (localKeyId !== undefined) await recordExport(context, localKeyId)
  return recordNew(kind, context, ref, whole, await factsOf(context, creation, localKeyId, 'made'))
}

/** The container of a home; `undefined` if it no longer has the home's region. */
async function homeLeft<T extends KeyTypes>(
  kind: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  home: Home,
): Promise<T['container'] | undefined> {
  const { item } = await containerById(kind.containers, caller.domain.id, home.container)
  return hasRegion(kind, item, home) ? item : undefined
}

/** Stages the record of a key that a saga left at the cloud, in its present state. */
async function recordLeft<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  creation: Creation<T>,
  ref: string,
  localKeyId: string | undefined,
): Promise<void> {
  const place = await reachAgain(kind, context, creation.home)
  const read = await kind.cloud.read(place, ref, creation.spec)
  if (read === undefined || (await homeLeft(kind, context, creation.home)) === undefined) return
  const whole = await kind.wholeOf(place, read)
  await recordNew(kind, context, ref, whole, await factsOf(context, creation, localKeyId, 'left'))
}

/** Stages the record of a created key that remains although the saga was refused. */
export async function recordKept<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  creation: Creation<T>,
  journal: Journal,
): Promise<void> {
  const ref = journal.noted(MADE)
  if (typeof ref !== 'string') return
  const localKeyId = sourceSoFar(creation, journal)
  if (localKeyId !== undefined) await recordExport(context, localKeyId) // the cloud may have received its material
  await recordLeft(kind, context, creation, ref, localKeyId)
}

/** Withdraws a created key that cannot be finished, and records it, so that no key is left without a record. */
export async function cleanUp<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  creation: Creation<T>,
  journal: Journal,
): Promise<void> {
  const ref = journal.noted(MADE)
  if (typeof ref !== 'string') return kind.notMade?.(context, creation.home, creation.spec)
  const place = await reachAgain(kind, context, creation.home)
  if (kind.withdraw !== undefined) await unlessRefused(kind.withdraw(place, ref))
  await recordKept(kind, context, creation, journal)
}

/**
 * Stages the record of a key after its undo was abandoned: in its present state, or, if it cannot be read, with its
 * names only.
 */
export async function recordGivenUp<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  creation: Creation<T>,
  journal: Journal,
): Promise<void> {
  const ref = journal.noted(MADE)
  if (typeof ref !== 'string' || kind.unreadable === undefined) return
  const localKeyId = sourceSoFar(creation, journal)
  try {
    return await recordLeft(kind, context, creation, ref, localKeyId)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const container = await homeLeft(kind, context, creation.home)
  if (container === undefined) return
  const whole = kind.unreadable(container, creation.home, ref, creation.spec)
  await recordNew(kind, context, ref, whole, await factsOf(context, creation, localKeyId, 'unreadable'))
}

/** The parts common to all sagas that create a key. @param name of the saga */
export const creationOf = <T extends KeyTypes>(
  name: string,
  kind: KeyKind<T>,
): Omit<KeySaga<T, Creation<T>, MadeKey<T>>, 'run'> => ({
  name,
  makes: `${kind.service}-${nounOf(kind)}`,
  entity: answeredKeys(kind),
  lasting: [MADE],
  unrecorded: (context, { home }, refs) => unrecordedIn(kind, context, home, refs),
  settle: (context, creation, made) => recordMade(kind, context, creation, made),
  undo: (context, creation, journal) => cleanUp(kind, context, creation, journal),
  giveUp: (context, creation, journal) => recordGivenUp(kind, context, creation, journal),
})

/** Creates a key: with material that the cloud generates, without material for now, or with a local key's. */
export const creating = <T extends KeyTypes>(name: string, kind: KeyKind<T>): KeySaga<T, Creation<T>, MadeKey<T>> => ({
  ...creationOf(name, kind),
  run: async (context, creation, journal) => {
    const localKeyId = await sourceFor(context, kind.service, creation, journal)
    const place = await reach(kind, context, creation.home)
    const read = await makeAt(kind, context, { place, home: creation.home }, creation.spec, localKeyId, journal)
    return { ref: read.ref, whole: await kind.wholeOf(place, read), localKeyId }
  },
})
