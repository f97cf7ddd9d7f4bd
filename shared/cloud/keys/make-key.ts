import type { KeyMaterial } from '../../crypto/key-material.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { recordExport, withMaterial } from '../../vault/keys/leave.ts'
import { isFinal } from '../../work/engine/passing.ts'
import type { Journal } from '../../base/journal.ts'
import { MADE } from '../contract.ts'
import { answeredKeys, type KeyKind, type KeySaga, type KeyTypes } from './key-kind.ts'

/** Input of work that makes a key. */
export interface Making<T extends KeyTypes> {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly spec: T['spec']
}
interface Uploading<T extends KeyTypes> extends Making<T> {
  readonly local_key_id: string
}

/** How one cloud's keys are made. */
export interface Makes<T extends KeyTypes, Input> {
  readonly kind: KeyKind<T>
  /** the family of the keys at the place, by their refs */
  readonly familyOf: (input: Input) => string
  /** Where the key is made. @throws Refusal NOT_FOUND when the container is gone by now, STATE_CONFLICT */
  readonly reach: (context: Context, input: Input) => Promise<T['place']>
  /** All that is recorded of a key that was made just now. */
  readonly wholeOf: (place: T['place'], read: T['read']) => T['whole'] | Promise<T['whole']>
  /**
   * Stages the record of a key that was made.
   * @param localKeyId where its material is from, if not the cloud's
   * @param then what else is true of it
   */
  readonly record: (
    context: Context,
    input: Input,
    whole: T['whole'],
    localKeyId: string | undefined,
    then?: Partial<T['key']>,
  ) => Promise<Stored<T['shown']>>
  /** Takes back a key that was made and cannot be finished, or puts it on record: nothing is left behind unseen. */
  readonly abandon: (context: Context, input: Input, journal: Journal, localKeyId: string | undefined) => Promise<void>
  /**
   * Stages the record of a key that could not be taken back for so long that this was given up: what is known of it.
   * @param then what else is true of it
   */
  readonly giveUp?: (
    context: Context,
    input: Input,
    journal: Journal,
    localKeyId: string | undefined,
    then?: Partial<T['key']>,
  ) => Promise<void>
}

/** The refs of a place that no record stands for. */
export async function unrecordedIn<T extends KeyTypes>(
  { entity }: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  family: string,
  refs: readonly string[],
): Promise<readonly string[]> {
  const known = await entity.membersBy(caller.domain.id, family, refs)
  return refs.filter((ref) => !known.has(ref))
}

/** Work that the cloud will not let be taken back stays as it is, so that no caller waits for it. */
export async function unlessRefused(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isFinal(error)) throw error
    log('error', 'what was done cannot be taken back', errorFields(error))
  }
}

const sagaOf = <T extends KeyTypes, Input extends Making<T>>(
  name: string,
  { kind, familyOf, reach, wholeOf }: Makes<T, Input>,
  make: (context: Context, place: T['place'], input: Input, journal: Journal) => Promise<T['read']>,
): Pick<KeySaga<T, Input, T['whole']>, 'name' | 'entity' | 'lasting' | 'unrecorded' | 'run'> => ({
  name,
  entity: answeredKeys(kind),
  lasting: [MADE],
  unrecorded: (context, input, refs) => unrecordedIn(kind, context, familyOf(input), refs),
  run: async (context, input, journal) => {
    const place = await reach(context, input)
    return wholeOf(place, await make(context, place, input, journal))
  },
})

/** Makes a key whose material is the cloud's, or one that waits for material. @param name of the saga */
export const creatingKey = <T extends KeyTypes, Input extends Making<T>>(
  name: string,
  makes: Makes<T, Input>,
): KeySaga<T, Input, T['whole']> => ({
  ...sagaOf(name, makes, async (_context, place, { spec }, journal) =>
    (await makes.kind.cloud()).create(place, spec, journal),
  ),
  settle: (context, input, whole) => makes.record(context, input, whole, undefined),
  undo: (context, input, journal) => makes.abandon(context, input, journal, undefined),
  giveUp: async (context, input, journal) => makes.giveUp?.(context, input, journal, undefined),
})

/** Makes a key and brings a local key's material into it. @param name of the saga */
export const uploadingKey = <T extends KeyTypes, Input extends Uploading<T>>(
  name: string,
  makes: Makes<T, Input>,
): KeySaga<T, Input, T['whole']> => ({
  ...sagaOf(name, makes, async (context, place, { spec, local_key_id }, journal) => {
    const cloud = await makes.kind.cloud()
    return withMaterial(context, local_key_id, (material: KeyMaterial) => cloud.upload(place, spec, material, journal))
  }),
  settle: async (context, input, whole) => {
    await recordExport(context, input.local_key_id)
    return makes.record(context, input, whole, input.local_key_id)
  },
  undo: async (context, input, journal) => {
    if (journal.noted(MADE) !== undefined) await recordExport(context, input.local_key_id) // the cloud may have its material
    await makes.abandon(context, input, journal, input.local_key_id)
  },
  giveUp: async (context, input, journal) => makes.giveUp?.(context, input, journal, input.local_key_id),
})
