import type * as z from 'zod'
import { Refusal } from '../../base/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import { currentVersion } from '../../cloud/keys/versions/find-version.ts'
import { rowsOf } from '../../store/list.ts'
import type { Reported } from '../../work/report/reported.ts'
import type { ContentRow, ReportContainer } from '../../work/report/store.ts'
import { cloudD } from './adapter.ts'
import type { CloudDAuditEntry, CloudDPlace } from './adapter/types.ts'
import { isExternalVault } from './external/external.ts'
import { keyKind } from './keys/kind.ts'
import { cloudDKeys, keysOfVault, vaultSet, type StoredCloudDKey } from './keys/store.ts'
import { NAME } from './name.ts'
import { openVault } from './place.ts'
import { reportModel } from './report-model.ts'
import { vaultKind } from './vaults/kind.ts'
import type { StoredCloudDVault } from './vaults/store.ts'

/** Fields of every row about a key of a vault, or about the whole vault. The cloud has no expiry of keys. */
const about =
  ({ vault_id, region, cloud_name, compartment_id }: StoredCloudDVault) =>
  (key_id: string, key: StoredCloudDKey | undefined): ContentRow => ({
    key_name: key?.cloud_d_params.display_name ?? '',
    key_id,
    vault_id,
    compartment_id: key?.cloud_d_params.compartment_id ?? compartment_id,
    region,
    cloud_name,
    key_expiration: null,
  })

/** `ocid1.<kind>.<realm>.<region>.<vault>.<own part>`: ids of keys and versions contain the part of their vault. */
const vaultPart = (id: string): string => id.split('.')[4] ?? ''
const isOf = (vault: StoredCloudDVault, { resource_id: id }: CloudDAuditEntry): boolean =>
  id === vault.vault_id || (vaultPart(id) !== '' && vaultPart(id) === vaultPart(vault.vault_id))

/** Compartments that contain the vault or keys of it. */
async function compartmentsOf(domain: string, vault: StoredCloudDVault): Promise<string[]> {
  const found = new Set([vault.compartment_id])
  for await (const page of rowsOf(cloudDKeys, domain, vaultSet(vault.id)))
    for (const { row } of page) found.add(row.compartment_id)
  return [...found].sort()
}

interface Span {
  readonly from: Date
  readonly to: Date
}
const MARK = '\n'

/**
 * Records of the audit service, one compartment after the other. Ours: a call by the user of the vault's connection
 * counts as made by this service. Uses of keys are absent: the cloud has separate logs for them.
 */
const auditEntries =
  (domain: string, vault: StoredCloudDVault, place: CloudDPlace, { from, to }: Span) =>
  async (cursor = '') => {
    const [at = '', page = ''] = cursor.split(MARK)
    const compartments = await compartmentsOf(domain, vault)
    const here = compartments.find((id) => id >= at) ?? vault.compartment_id
    const wholeMinute = new Date(Math.ceil(to.getTime() / MINUTE_MS) * MINUTE_MS)
    const query = { compartment_id: here, region: vault.region, from, to: wholeMinute, page: page || undefined }
    const { items, next } = await cloudD.auditEntries(place, query)
    const isWithin = ({ time }: CloudDAuditEntry): boolean =>
      Date.parse(time) >= from.getTime() && Date.parse(time) < to.getTime()
    const entries = items
      .filter((item) => isWithin(item) && isOf(vault, item))
      .map((item) => ({
        id: item.id,
        ref: item.resource_id.startsWith('ocid1.key.') ? item.resource_id : '',
        activity: item.activity,
        at: item.time,
        user: item.user_name,
        isOurs: item.user_id === place.connection.cloud_user_id,
        error: item.failed_code,
      }))
    const after = next === undefined ? compartments.find((id) => id > here) : `${here}${MARK}${next}`
    return { entries, next: after }
  }

/** Ours: a key's age counts from its current version. */
async function ageOf(domain: string, key: StoredCloudDKey) {
  const { key_id, time_created } = key.cloud_d_params
  const since = (await currentVersion(keyKind, domain, key))?.param.time_created ?? time_created
  return { ref: key_id, since, isRotated: key.version_count > 1 }
}

/** @throws Refusal STATE_CONFLICT for an external vault, whose keys the cloud's audit service does not know */
function assertHasLog(vault: StoredCloudDVault): void {
  if (isExternalVault(vault))
    throw new Refusal('STATE_CONFLICT', 'The vault is external: the audit records of this service list its uses.')
}

/** Outcomes are listed by name. Ours: if vaults of one report share a name, the cloud's id follows it. */
const toldApart = (vaults: readonly ReportContainer[]): ReportContainer[] =>
  vaults.map((vault) => {
    const isShared = vaults.some(({ id, name }) => id !== vault.id && name === vault.name)
    return isShared ? { ...vault, name: `${vault.name} ${vault.listed}` } : vault
  })

/** Reports on vaults of cloud-d. */
export const cloudDReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
  listedAs: 'vaults',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['key id', 'key_id'],
    ['vault', 'vault_id'],
    ['key activity', 'key_activity'],
    ['compartment', 'compartment_id'],
    ['modified date', 'modified_time'],
    ['cloud', 'cloud_name'],
  ],
  named: (context, { cloud_d_params: params }) =>
    Promise.all(
      params.map(async ({ vault: named }, at) => {
        const field = { pointer: `#/cloud_d_params/${at}/vault`, detail: 'is no vault that you may see' }
        const { item: vault } = await findContainerFor(vaultKind, context, named, 'reportcreate', field)
        return { id: vault.id, name: vault.display_name, listed: vault.vault_id, place: vault.region }
      }),
    ).then(toldApart),
  containersWith: containersWith(vaultKind, 'removing vaults'),
  open: async (domain, container, report, { now, budget }) => {
    const { item: vault } = await containerById(vaultKind, domain, container.id)
    const keys = { domain, keys: cloudDKeys, family: keysOfVault(vault.id), about: about(vault) }
    const log = async () => {
      assertHasLog(vault)
      const place = await openVault(domain, vault, { now, budget, patience: 'job' })
      const span = { from: new Date(report.start_time), to: new Date(report.end_time) }
      return auditEntries(domain, vault, place, span)
    }
    return reportOn(report, container, { now, budget }, { keys, ageOf: (key) => ageOf(domain, key), log })
  },
}
