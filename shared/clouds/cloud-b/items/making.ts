import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { errorFields, log } from '../../../base/log.ts'
import { findContainerFor, containerById } from '../../../cloud/containers/find-container.ts'
import { MADE } from '../../../cloud/contract.ts'
import { tellOfKey } from '../../../cloud/keys/find-key.ts'
import type { KeyKind } from '../../../cloud/keys/kind.ts'
import { unlessRefused, type Makes } from '../../../cloud/keys/make-key.ts'
import { sourceOf } from '../../../cloud/keys/versions/record-versions.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { Prepared } from '../../../work/sagas/saga.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { StoredCloudBVault } from '../vaults/store.ts'
import { nameIn, newItem, reachVault, subjectOf, versionsIn, type Items, type ItemTypes } from './kind.ts'
import { followName, recordsOf, succeed } from './one-name.ts'

/** Input of work that makes a version. */
export interface Making<T extends ItemTypes> {
  /** of the record to be, and the mark on the cloud's version */
  readonly id: string
  readonly vault_id: string
  readonly spec: T['spec']
  /** what only this service knows of the version */
  readonly particulars?: Partial<T['key']> | undefined
}

/** The vault that a body names, in which the caller may do `action`. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
export const vaultOfBody = async (context: Context, reference: string, action: string): Promise<StoredCloudBVault> => {
  const field = { pointer: '#/key_vault', detail: 'is no vault that you may see' }
  return (await findContainerFor(vaultKind, context, reference, action, field)).item
}

/** As `vaultOfBody`, for what managed HSM pools do not hold. @throws Refusal as that, RULE_BROKEN for a pool */
export async function vaultBeyondKeys(context: Context, reference: string, action: string): Promise<StoredCloudBVault> {
  const vault = await vaultOfBody(context, reference, action)
  if (vault.managed_hsm) throw ruleBroken('key_vault', 'must be a vault: managed HSM pools hold keys alone')
  return vault
}

/** Input of work that makes a version in a vault. */
export const planned = <T extends ItemTypes>(
  { now }: Pick<Context, 'now'>,
  vault: StoredCloudBVault,
  spec: Omit<T['spec'], 'mark'>,
): Making<T> => {
  const id = uuid(now)
  return { id, vault_id: vault.id, spec: { ...spec, mark: id } } // all but the mark is given
}

/** The work of it, which has the name for itself: of two versions made at once, both would be recorded as the latest. */
export const workOn = <T extends ItemTypes, Input extends Making<T>>(
  { noun }: Pick<Items<T>, 'noun'>,
  input: Input,
): Prepared<Input> => ({
  id: input.id,
  subject: subjectOf(noun, input.vault_id, input.spec.name),
  container: input.vault_id,
  input,
})

/** How versions are made: each record is new, also under a name that is there. */
export function makingItems<T extends ItemTypes, Input extends Making<T>>(
  items: Items<T>,
  kind: KeyKind<T>,
): Makes<T, Input> {
  const record = async (
    context: Context,
    { id, vault_id, particulars }: Input,
    read: T['read'],
    localKeyId: string | undefined,
    then: Partial<T['key']> = {},
  ): Promise<Stored<T['shown']>> => {
    const { caller, changes, now } = context
    const domain = caller.domain.id
    const vault = await containerById(vaultKind, domain, vault_id)
    changes.rely(kind.containers.entity, domain, vault) // its records are not being removed with it
    const records = await recordsOf(kind.entity, domain, vault_id, nameIn(read.ref))
    const isFound = ({ item }: Stored<T['key']>): boolean => kind.refOf(item) === read.ref
    for (const found of records.filter(isFound)) changes.remove(kind.entity, domain, found)
    const others = records.filter((one) => !isFound(one))
    const inherited = read.is_latest ? succeed(kind, changes, domain, others, now) : {}
    const origin = localKeyId === undefined ? 'native' : 'keymgr'
    const made = newItem(
      items,
      domain,
      vault.item,
      read,
      { id, now, key_material_origin: origin },
      {
        created_by: caller.username,
        ...(localKeyId !== undefined && (await sourceOf(context, localKeyId))),
        ...inherited,
        ...particulars,
        ...then,
      },
    )
    const item = items.withJob?.(vault.item, made) ?? made
    changes.create(kind.entity, domain, item)
    tellOfKey(kind, context, item)
    return kind.present({ item, rev: 1 }, vault.item)
  }
  /**
   * Updates the records of the name after a refusal: the item that has the name now may be its reason. Ours: refusals of
   * this read are only logged, because the first refusal is answered anyway.
   */
  const followRefused = async (context: Context, { vault_id: vaultId, spec: { name } }: Input): Promise<void> => {
    if ((await recordsOf(kind.entity, context.caller.domain.id, vaultId, name)).length === 0) return
    try {
      await followName(items, kind, context, { vaultId, name, place: await reachVault(context, vaultId) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log('warn', 'a name is not read after a refusal', errorFields(error))
    }
  }
  return {
    kind,
    familyOf: ({ vault_id }) => versionsIn(vault_id),
    reach: (context, { vault_id }) => reachVault(context, vault_id),
    wholeOf: (_place, read) => read,
    record: async (context, input, whole, localKeyId, then) =>
      record(context, input, whole as T['read'], localKeyId, then), // what was made is live
    /** Ours: no single version can be deleted, so one that cannot be finished is disabled, and on record. */
    abandon: async (context, input, journal, localKeyId) => {
      const ref = journal.noted(MADE)
      if (typeof ref !== 'string') return followRefused(context, input)
      const place = await reachVault(context, input.vault_id)
      const cloud = await kind.cloud()
      await unlessRefused(cloud.update(place, ref, { attributes: { enabled: false } }).then(() => undefined))
      const read = await cloud.read(place, ref)
      if (read !== undefined) await record(context, input, read, localKeyId)
    },
  }
}
