import type { KeyMaterial } from '../../crypto/key-material.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { recordExport, withMaterial } from '../../vault/keys/material/leave.ts'
import { isFinal } from '../../base/attempts.ts'
import type { Journal } from '../../base/journal.ts'
import { MADE } from '../contract.ts'
import { nounOf } from './find-key.ts'
import { answeredKeys, type KeyKind, type KeySaga, type KeyTypes } from './kind.ts'
import { sourceFor, sourceSoFar, type LocalSpec } from './source-key.ts'

/** Input of work that makes a key. */
export interface Making<T extends KeyTypes> {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly spec: T['spec']
}
interface Uploading<T extends KeyTypes> extends Making<T> {
  /** absent: a new local key is made */
  readonly local_key_id?: string | undefined
  /** the local key to make */
  readonly new_local_key?: LocalSpec | undefined
}

/** A key with our material, and the local key that it is from. */
interface Uploaded<T extends KeyTypes> {
  readonly whole: T['whole']
  readonly localKeyId: string
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
  { kind, familyOf }: Makes<T, Input>,
): Pick<KeySaga<T, Input, never>, 'name' | 'makes' | 'entity' | 'lasting' | 'unrecorded'> => ({
  name,
  makes: `${kind.service}-${nounOf(kind)}`,
  entity: answeredKeys(kind),
  lasting: [MADE],
  unrecorded: (context, input, refs) => unrecordedIn(kind, context, familyOf(input), refs),
})

/** Makes a key whose material is the cloud's, or one that waits for material. @param name of the saga */
export const creatingKey = <T extends KeyTypes, Input extends Making<T>>(
  name: string,
  makes: Makes<T, Input>,
): KeySaga<T, Input, T['whole']> => ({
  ...sagaOf(name, makes),
  run: async (context, input, journal) => {
    const place = await makes.reach(context, input)
    return makes.wholeOf(place, await (await makes.kind.cloud()).create(place, input.spec, journal))
  },
  settle: (context, input, whole) => makes.record(context, input, whole, undefined),
  undo: (context, input, journal) => makes.abandon(context, input, journal, undefined),
  giveUp: async (context, input, journal) => makes.giveUp?.(context, input, journal, undefined),
})

/** The new local key that work makes, which says of what kind. */
function specOfNew({ new_local_key: spec }: Pick<Uploading<KeyTypes>, 'new_local_key'>): LocalSpec {
  if (spec === undefined) throw new Error('work on an upload names no local key')
  return spec
}

/** Makes a key and brings a local key's material into it. @param name of the saga */
export const uploadingKey = <T extends KeyTypes, Input extends Uploading<T>>(
  name: string,
  makes: Makes<T, Input>,
): KeySaga<T, Input, Uploaded<T>> => ({
  ...sagaOf(name, makes),
  run: async (context, input, journal) => {
    const { kind, reach, wholeOf } = makes
    const localKeyId = await sourceFor(context, kind.service, input, () => specOfNew(input), journal)
    const place = await reach(context, input)
    const cloud = await kind.cloud()
    const read = await withMaterial(context, localKeyId, (material: KeyMaterial) =>
      cloud.upload(place, input.spec, material, journal),
    )
    return { whole: await wholeOf(place, read), localKeyId }
  },
  settle: async (context, input, { whole, localKeyId }) => {
    await recordExport(context, localKeyId)
    return makes.record(context, input, whole, localKeyId)
  },
  undo: async (context, input, journal) => {
    const localKeyId = sourceSoFar(input, journal)
    // the cloud may have its material
    if (localKeyId !== undefined && journal.noted(MADE) !== undefined) await recordExport(context, localKeyId)
    await makes.abandon(context, input, journal, localKeyId)
  },
  giveUp: async (context, input, journal) => makes.giveUp?.(context, input, journal, sourceSoFar(input, journal)),
})
