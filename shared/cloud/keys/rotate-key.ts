import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { uuid } from '../../base/ids.ts'
import type { Journal } from '../../base/journal.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { findKeyForCloud, recordExport, withMaterial } from '../../vault/keys/material/leave.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import { isFinal, isOfCredentials } from '../../base/attempts.ts'
import { carryOut } from '../../work/sagas/saga.ts'
import { MADE } from '../contract.ts'
import { findKeyFor, keyById, nameKey, noLongerThere } from './find-key.ts'
import { ifReadable } from './act-on-key.ts'
import { answeredKeys, type CloudOf, type KeyKind, type KeySaga, type KeyTypes, type StoredKey } from './kind.ts'
import { unrecordedIn, type Makes } from './make-key.ts'
import { stageRead } from './record-key.ts'
import { sourceFor, sourceSoFar, type LocalSpec } from './source-key.ts'

/** The types of a cloud whose keys are succeeded by new ones: their records name each other. */
export interface SucceededTypes extends KeyTypes {
  readonly key: StoredKey & {
    readonly rotation_status: string
    readonly rotated_from?: string | undefined
    readonly rotated_to?: string | undefined
    readonly rotated_at?: string | undefined
  }
}

/** Input of work that replaces a key. */
export interface Replacing {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  /** record of the key that is replaced */
  readonly old_id: string
  readonly old_ref: string
  /** absent: a new local key is made */
  readonly local_key_id?: string
}

/** A replacement whose new key is made. */
export interface Made<T extends KeyTypes, Input> {
  readonly input: Input
  /** the replaced key as it was before */
  readonly old: T['read']
  /** the cloud's own name of the new key */
  readonly ref: string
}

/** A new key that stays although its rotation was refused. */
export interface KeptKey<T extends KeyTypes> {
  /** the cloud's own name of it */
  readonly ref: string
  readonly localKeyId: string | undefined
  /** what else is true of its record */
  readonly then: Partial<T['key']>
}

/** How keys of one cloud are replaced by new ones. */
interface Replaces<T extends SucceededTypes, Body, Input extends Replacing> {
  readonly makes: Makes<T, Input>
  /** of the container's permissions */
  readonly may: string
  /** @throws Refusal STATE_CONFLICT, NOT_SUPPORTED */
  readonly assertRotatable: (key: T['key'], context: Context) => Promise<void>
  /** Another record of the same key, which is succeeded with it. */
  readonly otherRecord: (context: Context, key: T['key']) => Promise<Stored<T['key']> | undefined>
  /** Checks what can be told without asking the cloud. @param local the local key that the body names */
  readonly inputOf: (
    context: Context,
    wanted: Replacing,
    found: { readonly key: T['key']; readonly container: T['container']; readonly local: StoredLocalKey | undefined },
    body: Body,
  ) => Input
  /** All that the new key takes over. @throws Refusal CLOUD_DENIED for what may not be read, STATE_CONFLICT */
  readonly readOld: (cloud: CloudOf<T>, place: T['place'], ref: string) => Promise<T['read'] | undefined>
  readonly specOf: (old: T['read'], input: Input) => T['spec']
  /** Whether the cloud makes the new key's material itself. Absent: it is always a local key's. */
  readonly isNative?: (input: Input) => boolean
  /** the local key that is made for the new one */
  readonly localFor: (place: T['place'], input: Input) => LocalSpec
  /** Passes the old key's names to the new one. Safe to repeat. */
  readonly passNames: (cloud: CloudOf<T>, place: T['place'], made: Made<T, Input>) => Promise<void>
  /** Ends encryption with the old key, where that was asked for. Safe to repeat. */
  readonly retire: (cloud: CloudOf<T>, place: T['place'], input: Input) => Promise<void>
  /** Gives the old key its encryption and its names back. Safe to repeat. */
  readonly restore: (context: Context, made: Made<T, Input>) => Promise<void>
  /** Puts the new key on record as it is: names that could not be given back lead to it. */
  readonly keep: (context: Context, input: Input, made: KeptKey<T>) => Promise<void>
  /** fields of the old record that are true of the new key */
  readonly inherited: (old: T['key']) => Partial<T['key']>
}

interface Replaced<T extends KeyTypes> {
  readonly made: T['whole']
  readonly old: T['whole']
  /** absent: the material is the cloud's */
  readonly localKeyId?: string | undefined
}

/** The step that notes the old key as it was before. */
const OLD = 'old'
const SOURCE_POINTER = '#/source_key_id'

const read = async <T>(reading: Promise<T | undefined>, absent: () => Refusal): Promise<T> => {
  const found = await reading
  if (found === undefined) throw absent()
  return found
}
const madeIsGone = (): Refusal => new Refusal('CLOUD_NOT_FOUND', 'The cloud no longer has the key it just made.')

/** Work that takes a step back. @returns whether the cloud let it be done; its refusal is logged */
async function isTakenBack(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (!isFinal(error) || isOfCredentials(error)) throw error
    log('error', 'a rotation cannot be taken back: the new key stays', errorFields(error))
    return false
  }
}

/** Fields of the two records once one key has succeeded the other. */
function succession<T extends SucceededTypes>(
  { rotated_to, inherited }: { readonly rotated_to: string; readonly inherited: Partial<T['key']> },
  { id, labels }: T['key'],
  now: Date,
) {
  const at = now.toISOString()
  return {
    old: { rotated_to, rotation_status: 'ROTATED', updatedAt: at },
    made: { ...inherited, ...(labels && { labels }), rotation_status: 'ACTIVE', rotated_from: id, rotated_at: at },
  }
}

/** The old record with the successor's name: a job configuration rotates the successor from now on. */
const succeeded = <T extends SucceededTypes>(key: T['key'], chained: Partial<T['key']>): T['key'] => ({
  ...without(key, 'labels'),
  ...chained,
}) // the labels are optional

/** Makes the new key with a local key's material, or the cloud's own. */
async function makeSuccessor<T extends SucceededTypes, Input extends Replacing>(
  { makes, specOf, isNative, localFor }: Replaces<T, never, Input>,
  context: Context,
  place: T['place'],
  { input, old }: { readonly input: Input; readonly old: T['read'] },
  journal: Journal,
): Promise<{ readonly ref: string; readonly localKeyId?: string }> {
  const cloud = await makes.kind.cloud()
  const spec = specOf(old, input)
  if (isNative?.(input) === true) return { ref: (await cloud.create(place, spec, journal)).ref }
  const localKeyId = await sourceFor(context, makes.kind.service, input, () => localFor(place, input), journal)
  const { ref } = await withMaterial(context, localKeyId, (material) => cloud.upload(place, spec, material, journal))
  return { ref, localKeyId }
}

/** Makes and fills the new key, passes the names to it, and then ends the old one's encryption. */
const running =
  <T extends SucceededTypes, Input extends Replacing>(
    replaces: Replaces<T, never, Input>,
  ): KeySaga<T, Input, Replaced<T>>['run'] =>
  async (context, input, journal) => {
    const { makes, readOld, passNames, retire } = replaces
    const { old_ref } = input
    const place = await makes.reach(context, input)
    const cloud = await makes.kind.cloud()
    const old = await journal.step(OLD, () => read(readOld(cloud, place, old_ref), noLongerThere))
    const { ref, localKeyId } = await makeSuccessor(replaces, context, place, { input, old }, journal)
    await passNames(cloud, place, { input, old, ref })
    await retire(cloud, place, input)
    const made = await makes.wholeOf(place, await read(cloud.read(place, ref), madeIsGone))
    return {
      made,
      old: await makes.wholeOf(place, await read(cloud.read(place, old_ref), noLongerThere)),
      localKeyId,
    }
  }

/** Stages both records, each naming the other. */
const settling =
  <T extends SucceededTypes, Input extends Replacing>({
    makes,
    otherRecord,
    inherited,
  }: Replaces<T, never, Input>): KeySaga<T, Input, Replaced<T>>['settle'] =>
  async (context, input, { made, old, localKeyId }) => {
    const { changes, caller, now } = context
    const before = await keyById(makes.kind, context, input.old_id)
    const chained = succession<T>({ rotated_to: input.id, inherited: inherited(before.item) }, before.item, now)
    const replaced = succeeded<T>(
      await makes.kind.refreshed(context, before.item, old),
      chained.old as Partial<T['key']>,
    )
    changes.update(makes.kind.entity, caller.domain.id, before, replaced)
    const other = await otherRecord(context, before.item)
    if (other) changes.update(makes.kind.entity, caller.domain.id, other, { ...other.item, ...chained.old })
    if (localKeyId !== undefined) await recordExport(context, localKeyId)
    return makes.record(context, input, made, localKeyId, chained.made)
  }

/** Gives the old key back what the new one took over; a new key that has to stay is put on record. */
const undoing =
  <T extends SucceededTypes, Input extends Replacing>({
    makes,
    restore,
    keep,
    inherited,
  }: Replaces<T, never, Input>): NonNullable<KeySaga<T, Input, Replaced<T>>['undo']> =>
  async (context, input, journal) => {
    const old = journal.noted(OLD) as T['read'] | undefined // what that step read
    const ref = journal.noted(MADE)
    const { caller, now } = context
    const before = await makes.kind.entity.get(caller.domain.id, input.old_id)
    let after: Partial<T['key']> = { rotation_status: 'FAILED' } as Partial<T['key']>
    if (old !== undefined && typeof ref === 'string') {
      const isRestored = await isTakenBack(restore(context, { input, old, ref }))
      const localKeyId = sourceSoFar(input, journal)
      if (localKeyId !== undefined) await recordExport(context, localKeyId)
      if (isRestored || before === undefined) await makes.abandon(context, input, journal, localKeyId)
      else {
        const chained = succession<T>({ rotated_to: input.id, inherited: inherited(before.item) }, before.item, now)
        await keep(context, input, { ref, localKeyId, then: chained.made })
        after = chained.old as Partial<T['key']>
      }
    }
    if (before !== undefined) await recordOld(makes.kind, context, before, after)
  }

/** Stages both records as they are, once taking the rotation back was given up. */
const givingUp =
  <T extends SucceededTypes, Input extends Replacing>({
    makes,
    inherited,
  }: Replaces<T, never, Input>): NonNullable<KeySaga<T, Input, Replaced<T>>['giveUp']> =>
  async (context, input, journal) => {
    const before = await makes.kind.entity.get(context.caller.domain.id, input.old_id)
    if (before === undefined || journal.noted(MADE) === undefined) return
    const { old, made } = succession<T>(
      { rotated_to: input.id, inherited: inherited(before.item) },
      before.item,
      context.now,
    )
    await makes.giveUp?.(context, input, journal, sourceSoFar(input, journal), made)
    stageRead(makes.kind, context, before, succeeded<T>(before.item, old as Partial<T['key']>))
  }

/**
 * Rotation by a successor: a new key is made and filled, before the names pass to it, before the old one ends encrypting.
 * At any moment the names lead to one of the two, and what was encrypted can be decrypted.
 */
const sagaOf = <T extends SucceededTypes, Input extends Replacing>(
  name: string,
  replaces: Replaces<T, never, Input>,
): KeySaga<T, Input, Replaced<T>> => {
  const { makes } = replaces
  return {
    name,
    entity: answeredKeys(makes.kind),
    lasting: [MADE],
    unrecorded: (context, input, refs) => unrecordedIn(makes.kind, context, makes.familyOf(input), refs),
    run: running(replaces),
    settle: settling(replaces),
    undo: undoing(replaces),
    giveUp: givingUp(replaces),
  }
}

/** Stages the old record after a refusal, with the key as its cloud has it now: another party may have changed it. */
async function recordOld<T extends SucceededTypes>(
  kind: KeyKind<T>,
  context: Context,
  before: Stored<T['key']>,
  after: Partial<T['key']>,
): Promise<void> {
  nameKey(kind, context, before.item)
  const whole = await ifReadable(kind.readRefused(context, before.item))
  const fresh = whole === undefined ? before.item : await kind.refreshed(context, before.item, whole)
  stageRead(kind, context, before, after.rotated_to === undefined ? { ...fresh, ...after } : succeeded<T>(fresh, after))
}

/** The verb that replaces a key by a new one, with a local key's material or the cloud's own. @param name of its saga */
export function replacing<
  T extends SucceededTypes,
  Body extends { readonly source_key_id?: string | undefined },
  Input extends Replacing,
>(name: string, replaces: Replaces<T, Body, Input>) {
  const { makes, may, assertRotatable, inputOf } = replaces
  const { kind } = makes
  const saga = sagaOf(name, replaces)
  const replace = (context: Context, keyId: string, body: Body): Promise<Stored<T['shown']>> =>
    carryOut(context, saga, async () => {
      const { stored, container } = await findKeyFor(kind, context, keyId, may)
      const { item: key } = stored
      await assertRotatable(key, context)
      const { source_key_id: named } = body
      const local = named === undefined ? undefined : await findKeyForCloud(context, named, SOURCE_POINTER)
      const id = uuid(context.now)
      const wanted = { id, old_id: key.id, old_ref: kind.refOf(key), ...(local && { local_key_id: local.id }) }
      const input = inputOf(context, wanted, { key, container: container.item, local }, body)
      return { id, subject: key.id, container: kind.containerIdOf(key), input }
    })
  return { saga, replace }
}
