import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { uuid } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { findKeyForCloud, recordExport, withMaterial } from '../../vault/keys/leave.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import { carryOut } from '../../work/sagas/saga.ts'
import { MADE } from '../contract.ts'
import { findKeyFor, keyById, noLongerThere } from './find-key.ts'
import { answeredKeys, type CloudOf, type KeySaga, type KeyTypes, type StoredKey } from './key-kind.ts'
import { unlessRefused, unrecordedIn, type Makes } from './make-key.ts'
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

/** How keys of one cloud are replaced by new ones. */
interface Replaces<T extends SucceededTypes, Body, Input extends Replacing> {
  readonly makes: Makes<T, Input>
  /** of the container's permissions */
  readonly may: string
  /** @throws Refusal STATE_CONFLICT, NOT_SUPPORTED */
  readonly assertRotatable: (key: T['key']) => void
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
  /** the local key that is made for the new one */
  readonly localFor: (place: T['place'], input: Input) => LocalSpec
  /** Passes the old key's names to the new one. Safe to repeat. */
  readonly passNames: (cloud: CloudOf<T>, place: T['place'], made: Made<T, Input>) => Promise<void>
  /** Ends encryption with the old key, where that was asked for. Safe to repeat. */
  readonly retire: (cloud: CloudOf<T>, place: T['place'], input: Input) => Promise<void>
  /** Gives the old key its names and its encryption back. Safe to repeat. */
  readonly restore: (context: Context, made: Made<T, Input>) => Promise<void>
  /** fields of the old record that are true of the new key */
  readonly inherited: (old: T['key']) => Partial<T['key']>
}

interface Replaced<T extends KeyTypes> {
  readonly made: T['whole']
  readonly old: T['whole']
  readonly localKeyId: string
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

/**
 * Rotation by a successor: a new key is made and filled, before the names pass to it, before the old one ends encrypting.
 * At any moment the names lead to one of the two, and what was encrypted can be decrypted.
 */
function sagaOf<T extends SucceededTypes, Input extends Replacing>(
  name: string,
  { makes, readOld, specOf, localFor, passNames, retire, restore, inherited }: Replaces<T, never, Input>,
): KeySaga<T, Input, Replaced<T>> {
  const { kind } = makes
  return {
    name,
    entity: answeredKeys(kind),
    unrecorded: (context, input, refs) => unrecordedIn(kind, context, makes.familyOf(input), refs),
    run: async (context, input, journal) => {
      const { old_ref } = input
      const place = await makes.reach(context, input)
      const cloud = await kind.cloud()
      const old = await journal.step(OLD, () => read(readOld(cloud, place, old_ref), noLongerThere))
      const localKeyId = await sourceFor(context, kind.service, input, () => localFor(place, input), journal)
      const { ref } = await withMaterial(context, localKeyId, (material) =>
        cloud.upload(place, specOf(old, input), material, journal),
      )
      await passNames(cloud, place, { input, old, ref })
      await retire(cloud, place, input)
      const made = await makes.wholeOf(place, await read(cloud.read(place, ref), madeIsGone))
      return {
        made,
        old: await makes.wholeOf(place, await read(cloud.read(place, old_ref), noLongerThere)),
        localKeyId,
      }
    },
    settle: async (context, input, { made, old, localKeyId }) => {
      const { changes, caller, now } = context
      const before = await keyById(kind, context, input.old_id)
      const { labels } = before.item
      const rotated_at = now.toISOString()
      const replaced = without(await kind.refreshed(context, before.item, old), 'labels') as T['key'] // they are optional
      const chained = { rotated_to: input.id, rotation_status: 'ROTATED', updatedAt: rotated_at }
      changes.update(kind.entity, caller.domain.id, before, { ...replaced, ...chained })
      await recordExport(context, localKeyId)
      return makes.record(context, input, made, localKeyId, {
        ...inherited(before.item),
        ...(labels && { labels }),
        rotation_status: 'ACTIVE',
        rotated_from: input.old_id,
        rotated_at,
      })
    },
    undo: async (context, input, journal) => {
      const old = journal.noted(OLD) as T['read'] | undefined // what that step read
      const ref = journal.noted(MADE)
      if (old !== undefined && typeof ref === 'string') {
        await unlessRefused(restore(context, { input, old, ref }))
        const localKeyId = sourceSoFar(input, journal)
        if (localKeyId !== undefined) await recordExport(context, localKeyId)
        await makes.abandon(context, input, journal, localKeyId)
      }
      const before = await keyById(kind, context, input.old_id)
      stageRead(kind, context, before, { ...before.item, rotation_status: 'FAILED' })
    },
  }
}

/** The verb that replaces a key by a new one with the material of a local key. @param name of its saga */
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
      assertRotatable(key)
      const { source_key_id: named } = body
      const local = named === undefined ? undefined : await findKeyForCloud(context, named, SOURCE_POINTER)
      const id = uuid(context.now)
      const wanted = { id, old_id: key.id, old_ref: kind.refOf(key), ...(local && { local_key_id: local.id }) }
      const input = inputOf(context, wanted, { key, container: container.item, local }, body)
      return { id, subject: key.id, container: kind.containerIdOf(key), input }
    })
  return { saga, replace }
}
