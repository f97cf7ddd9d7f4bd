import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import type { Journal } from '../../base/journal.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { isFinal, isOfCredentials } from '../../base/attempts.ts'
import { MADE } from '../contract.ts'
import { ifReadable, readRefused } from './act-on-key.ts'
import {
  cleanUp,
  makeAt,
  recordGivenUp,
  recordKept,
  recordMade,
  unrecordedIn,
  type Creation,
  type MadeKey,
} from './creation.ts'
import { keyById, nameKey, noLongerThere } from './find-key.ts'
import { answeredKeys, type KeyKind, type KeySaga, type KeyTypes, type StoredKey } from './kind.ts'
import { reach, reachAgain } from './place.ts'
import { stageRead } from './record-key.ts'
import { sourceFor } from './source-key.ts'

/** The types of a cloud whose keys are replaced by new keys: their records refer to each other. */
export interface SucceededTypes extends KeyTypes {
  readonly key: StoredKey & {
    readonly rotation_status: string
    readonly rotated_from?: string | undefined
    readonly rotated_to?: string | undefined
    readonly rotated_at?: string | undefined
  }
}

/** Input of a saga in which a new key replaces another. */
export interface Succession<T extends SucceededTypes, How> extends Omit<Creation<T>, 'spec' | 'known'> {
  /** record of the key that is replaced */
  readonly old_id: string
  readonly old_ref: string
  /** another record of the same key, which is replaced with it */
  readonly other_id?: string | undefined
  readonly how: How
}

/** A key that was created to replace another. */
export interface Successor<T extends SucceededTypes, How> extends Pick<Succession<T, How>, 'old_ref' | 'how'> {
  /** the replaced key as it was before */
  readonly old: T['read']
  /** the cloud's own name of the new key */
  readonly ref: string
}

/** The calls of a cloud that replace one of its keys by another. */
interface Succeeds<T extends SucceededTypes, How> {
  /**
   * Everything that the new key inherits. @throws Refusal CLOUD_DENIED for properties that may not be read,
   * STATE_CONFLICT
   */
  readonly readOld: (place: T['place'], ref: string) => Promise<T['read'] | undefined>
  readonly specOf: (old: T['read'], how: How) => T['spec']
  /** Moves the old key's names to the new one. Safe to repeat. */
  readonly passNames: (place: T['place'], made: Successor<T, How>) => Promise<void>
  /** Ends encryption with the old key, if requested. Safe to repeat. */
  readonly retire: (place: T['place'], ref: string, how: How) => Promise<void>
  /** Restores the old key's encryption and its names. Safe to repeat. */
  readonly restore: (place: T['place'], made: Successor<T, How>) => Promise<void>
  /** fields of the old record that also apply to the new key */
  readonly inherits: readonly (keyof T['key'] & string)[]
}

interface Replaced<T extends KeyTypes> extends MadeKey<T> {
  readonly old: T['whole']
}

/** The step that records the old key's former state. */
const OLD = 'old'

const read = async <T>(reading: Promise<T | undefined>, absent: () => Refusal): Promise<T> => {
  const found = await reading
  if (found === undefined) throw absent()
  return found
}
const madeIsGone = (): Refusal => new Refusal('CLOUD_NOT_FOUND', 'The cloud no longer has the key it just made.')

/** Undoes a step. @returns whether the cloud permitted it; its refusal is logged */
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
function succession(id: string, old: SucceededTypes['key'], inherits: readonly string[], now: Date) {
  const at = now.toISOString()
  const { labels } = old
  const inherited = Object.fromEntries(Object.entries(old).filter(([field]) => inherits.includes(field)))
  return {
    old: { rotated_to: id, rotation_status: 'ROTATED', updatedAt: at },
    made: { ...inherited, ...(labels && { labels }), rotation_status: 'ACTIVE', rotated_from: old.id, rotated_at: at },
  }
}

/** The old record with a reference to its successor, which a job configuration rotates from now on. */
const succeeded = <T extends SucceededTypes>(key: T['key'], chained: Partial<SucceededTypes['key']>): T['key'] => ({
  ...without(key, 'labels'),
  ...chained,
}) // the labels are optional

/** The creation of the new key, as part of the saga. @param known fields of its record */
const creationOf = <T extends SucceededTypes, How>(
  { specOf }: Succeeds<T, How>,
  { id, home, local_key_id, new_local_key, how }: Succession<T, How>,
  old: T['read'],
  known?: object,
): Creation<T> => ({ id, home, local_key_id, new_local_key, spec: specOf(old, how), known })

/**
 * Stages the old record after a refusal, with the key in its present state at the cloud: another party may have changed
 * it.
 */
async function recordOld<T extends SucceededTypes>(
  kind: KeyKind<T>,
  context: Context,
  before: Stored<T['key']>,
  after: Partial<SucceededTypes['key']>,
): Promise<void> {
  nameKey(kind, context, before.item)
  const whole = await ifReadable(readRefused(kind, context, before.item))
  const fresh = whole === undefined ? before.item : await kind.refreshed(context, before.item, whole)
  stageRead(kind, context, before, after.rotated_to === undefined ? { ...fresh, ...after } : succeeded<T>(fresh, after))
}

/**
 * Rotation by a successor: a new key is created and gets its material before the names move to it, and the names move
 * before the old key stops encrypting. At any moment the names lead to one of the two keys, and all ciphertexts can be
 * decrypted.
 * @param name of the saga
 */
export function succeeding<T extends SucceededTypes, How>(
  name: string,
  kind: KeyKind<T>,
  succeeds: Succeeds<T, How>,
): KeySaga<T, Succession<T, How>, Replaced<T>> {
  const { readOld, specOf, passNames, retire, restore, inherits } = succeeds
  const noted = (journal: Journal) => ({
    old: journal.noted(OLD) as T['read'] | undefined, // the result of that step
    ref: journal.noted(MADE),
  })
  return {
    name,
    entity: answeredKeys(kind),
    lasting: [MADE],
    unrecorded: (context, { home }, refs) => unrecordedIn(kind, context, home, refs),
    run: async (context, input, journal) => {
      const { old_ref, how } = input
      const place = await reach(kind, context, input.home)
      const old = await journal.step(OLD, () => read(readOld(place, old_ref), noLongerThere))
      const localKeyId = await sourceFor(context, kind.service, input, journal)
      const { ref } = await makeAt(kind, context, { place, home: input.home }, specOf(old, how), localKeyId, journal)
      await passNames(place, { old, ref, old_ref, how })
      await retire(place, old_ref, how)
      return {
        ref,
        whole: await read(kind.read(place, ref), madeIsGone),
        old: await read(kind.read(place, old_ref), noLongerThere),
        localKeyId,
      }
    },
    settle: async (context, input, made) => {
      const { changes, caller, now } = context
      const before = await keyById(kind, context, input.old_id)
      const chained = succession(input.id, before.item, inherits, now)
      const replaced = succeeded<T>(await kind.refreshed(context, before.item, made.old), chained.old)
      changes.update(kind.entity, caller.domain.id, before, replaced)
      const other = input.other_id && (await kind.entity.get(caller.domain.id, input.other_id))
      if (other) changes.update(kind.entity, caller.domain.id, other, { ...other.item, ...chained.old })
      return recordMade(kind, context, { ...input, known: chained.made }, made)
    },
    /** Returns the names and the encryption to the old key; a new key that cannot be deleted is recorded. */
    undo: async (context, input, journal) => {
      const { old, ref } = noted(journal)
      const before = await kind.entity.get(context.caller.domain.id, input.old_id)
      let after: Partial<SucceededTypes['key']> = { rotation_status: 'FAILED' }
      if (old !== undefined && typeof ref === 'string') {
        const { old_ref, how } = input
        const reaching = reachAgain(kind, context, input.home)
        const isRestored = await isTakenBack(reaching.then((place) => restore(place, { old, ref, old_ref, how })))
        if (isRestored || before === undefined) await cleanUp(kind, context, creationOf(succeeds, input, old), journal)
        else {
          const chained = succession(input.id, before.item, inherits, context.now)
          await recordKept(kind, context, creationOf(succeeds, input, old, chained.made), journal)
          after = chained.old
        }
      }
      if (before !== undefined) await recordOld(kind, context, before, after)
    },
    /** Stages both records in their present state after the undo of the rotation was abandoned. */
    giveUp: async (context, input, journal) => {
      const { old } = noted(journal)
      const before = await kind.entity.get(context.caller.domain.id, input.old_id)
      if (before === undefined || old === undefined || journal.noted(MADE) === undefined) return
      const chained = succession(input.id, before.item, inherits, context.now)
      await recordGivenUp(kind, context, creationOf(succeeds, input, old, chained.made), journal)
      stageRead(kind, context, before, succeeded<T>(before.item, chained.old))
    },
  }
}
