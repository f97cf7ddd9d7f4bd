import type { DeliveredLine } from '../../../../audit/line-reader.ts'
import { readLine } from '../../../../serving/access-log.ts'
import { Changes } from '../../../../store/changes.ts'
import { untilCommitted } from '../../../../store/until-committed.ts'
import { cloudDKeys } from '../../keys/store.ts'
import { cloudDVaults } from '../../vaults/store.ts'
import { isExternalKey, isExternalVault } from '../external.ts'
import { EXTERNAL_ACCESS_LOG } from './access-log.ts'

/** Stages that a vault is linked. @returns whether it was not */
async function linkVault(changes: Changes, domain: string, id: string, at: string): Promise<boolean> {
  const stored = await cloudDVaults.get(domain, id)
  if (stored === undefined || !isExternalVault(stored.item)) return false
  const { external_vault_params: params } = stored.item
  if (params.linked_state || params.blocked) return false
  const linked = { ...params, linked_state: true }
  changes.update(cloudDVaults, domain, stored, { ...stored.item, external_vault_params: linked, updatedAt: at })
  return true
}

async function linkKey(changes: Changes, domain: string, id: string, at: string): Promise<boolean> {
  const stored = await cloudDKeys.get(domain, id)
  if (stored === undefined || !isExternalKey(stored.item)) return false
  const { hyok_key_params: params } = stored.item
  if (params.linked_state || params.blocked) return false
  changes.update(cloudDKeys, domain, stored, {
    ...stored.item,
    hyok_key_params: { ...params, linked_state: true },
    updatedAt: at,
  })
  return true
}

const linkNow = (link: typeof linkVault, domain: string, id: string, at: Date): Promise<void> =>
  untilCommitted(async () => {
    const changes = new Changes()
    if (await link(changes, domain, id, at.toISOString())) await changes.commit(at)
  })

/**
 * Records which vaults and keys the cloud refers to, from log lines of the data plane, which cannot write to the table:
 * the cloud asks for the metadata of a vault or a key when it begins to refer to it.
 * @throws Refusal UNAVAILABLE
 */
export async function keepLinks(lines: readonly DeliveredLine[]): Promise<void> {
  const done = new Set<string>()
  for (const { at, line } of lines) {
    const { domain, used: id, operation } = readLine(EXTERNAL_ACCESS_LOG, line) ?? {}
    if (domain === undefined || id === undefined || done.has(id)) continue
    await linkNow(operation === 'vaultMetadata' ? linkVault : linkKey, domain, id, at)
    done.add(id)
  }
}
