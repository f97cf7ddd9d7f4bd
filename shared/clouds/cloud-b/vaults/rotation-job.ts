import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { without } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Sweep } from '../../../base/time.ts'
import { changeContainer } from '../../../cloud/containers/change-container.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { sweptEntity, sweptWork } from '../../../cloud/containers/swept-work.ts'
import type { Context } from '../../../http/context.ts'
import { Changes, Stale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { joinConfig } from '../../../work/schedule/configs/attachments.ts'
import { versionsIn } from '../items/item.ts'
import { jobOf } from '../keys/job-of.ts'
import { cloudBKeys, type StoredCloudBKey } from '../keys/store.ts'
import type { CloudBVault, EnableVaultRotationJob } from './model.ts'
import { cloudBVaults, type StoredCloudBVault } from './store.ts'
import { vaultKind } from './kind.ts'
import { NAME } from '../name.ts'

const DUE = 'align-vault'

/** Vaults whose keys are being aligned with the vault's job. */
export const vaultAlignments = sweptEntity('cloud-b-vault-alignment', DUE, { vault_id: z.string() })

const PAGE = 100
/** Keys that one transaction changes, each with its list rows and family items, besides the check of the vault. */
const KEYS_TOGETHER = 15

/**
 * Sets the job of each key as `jobOf` determines it. @throws Stale when the vault, or a key, is changed at the same
 * moment
 */
async function give(
  domain: string,
  vault: Stored<StoredCloudBVault>,
  keys: readonly Stored<StoredCloudBKey>[],
  now: Date,
) {
  for (let at = 0; at < keys.length; at += KEYS_TOGETHER) {
    const changes = new Changes()
    changes.rely(cloudBVaults, domain, vault)
    for (const before of keys.slice(at, at + KEYS_TOGETHER)) {
      const labels = jobOf(vault.item, before.item)
      const after = { ...without(before.item, 'labels'), ...(labels && { labels }), updatedAt: now.toISOString() }
      changes.update(cloudBKeys, domain, before, after)
    }
    await changes.commit(now)
  }
}

/** Aligns the keys of a vault with its present job. */
async function align(domain: string, vaultId: string, { now, hasTime }: Sweep): Promise<boolean> {
  let after: string | undefined
  for (;;) {
    if (!hasTime()) return false
    const vault = await cloudBVaults.get(domain, vaultId)
    if (vault === undefined) return true
    const members = await cloudBKeys.membersAfter(domain, versionsIn(vaultId), after, PAGE)
    const ids = members.map(({ id }) => id)
    const keys = await cloudBKeys.getMany(domain, ids, 'leave out')
    const others = keys.filter(({ item }) => !isDeepStrictEqual(jobOf(vault.item, item), item.labels))
    try {
      await give(domain, vault, others, now)
    } catch (error) {
      if (error instanceof Stale) continue // the page is read again
      throw error
    }
    if (members.length < PAGE) return true
    after = members.at(-1)?.key
  }
}

/** The work of aligning keys; it may be staged at any time, and run twice. */
export const vaultAlignment = sweptWork(
  DUE,
  vaultAlignments,
  (domain, { vault_id }, sweep) => align(domain, vault_id, sweep),
  'resumed',
)

/** Refuses while a policy denies the single call on a key whose job would change. @throws Refusal ACTION_DENIED */
const assertMayAlign = (context: Context, after: StoredCloudBVault, action: string): Promise<void> =>
  assertMayEach(context, {
    entity: cloudBKeys,
    family: versionsIn(after.id),
    concerned: (key) => !isDeepStrictEqual(jobOf(after, key), key.labels),
    action,
  })

/**
 * Adds a vault to the job configuration that is to rotate its keys, later ones included; keys with a job of their own
 * only if that is overridden. Ours: while the vault's job overrides, no key has a job of its own.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN for a configuration of another operation or cloud
 */
export const enableVaultRotationJob = (
  context: Context,
  id: string,
  labels: EnableVaultRotationJob,
): Promise<Stored<CloudBVault>> =>
  changeContainer(vaultKind, context, id, async (vault) => {
    await joinConfig(context, labels.job_config_id, { operation: 'keymgr_key_rotation', cloud: NAME })
    const after = { ...vault, labels }
    await assertMayAlign(context, after, 'EnableCloudBKeyRotationJob')
    vaultAlignment.plan(context, { vault_id: vault.id })
    return after
  })

/**
 * Removes the vault from the job that rotates its keys; keys keep jobs of their own. @throws Refusal STATE_CONFLICT
 * when it has none
 */
export const disableVaultRotationJob = (context: Context, id: string): Promise<Stored<CloudBVault>> =>
  changeContainer(vaultKind, context, id, async (vault) => {
    if (vault.labels === undefined) throw new Refusal('STATE_CONFLICT', 'No job rotates the keys of this vault.')
    const after = without(vault, 'labels')
    await assertMayAlign(context, after, 'DisableCloudBKeyRotationJob')
    vaultAlignment.plan(context, { vault_id: vault.id })
    return after
  })
