import { timeRead, UNKNOWN_TIME } from '../../cloud/adapter/dates.ts'
import { defined } from '../../base/fields.ts'
import type * as z from 'zod'
import { atOnce } from '../../base/at-once.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import type { Context } from '../../http/context.ts'
import { Uuid } from '../../http/common-fields.ts'
import { ROWS_A_PAGE, type Reported } from '../../work/report/reported.ts'
import type { ContentRow, ReportContainer } from '../../work/report/store.ts'
import type { CloudBPlace } from './adapter/types.ts'
import { versionsIn } from './items/item.ts'
import { recordsOf } from './items/one-name.ts'
import { cloudBKeys, type StoredCloudBKey } from './keys/store.ts'
import { cloudB } from './adapter.ts'
import { openVault } from './place.ts'
import { reportModel, type ReportedVault } from './report-model.ts'
import { vaultKey, type StoredCloudBVault } from './vaults/store.ts'
import { vaultKind } from './vaults/kind.ts'
import { NAME } from './name.ts'

/** Ours: number of names read in parallel. */
const NAMES_AT_ONCE = 8

/** Fields of every row about a key of a vault, or about the vault as a whole. */
const about =
  ({ name: key_vault, tenant, region, cloud_name }: StoredCloudBVault) =>
  (ref: string, key: StoredCloudBKey | undefined): ContentRow => ({
    ...{ key_name: ref.split('/', 1)[0] ?? '', key_vault, tenant, region, cloud_name },
    key_expiration: key?.azure_expire_at ?? null,
  })

/** The log names keys without versions: the record of the latest version provides the key's fields. */
async function latestOf(domain: string, vaultId: string, names: readonly string[]) {
  const found = await atOnce(names, NAMES_AT_ONCE, async (name) => {
    const records = await recordsOf(cloudBKeys, domain, vaultId, name)
    const key = (records.find(({ item }) => item.is_latest) ?? records.at(-1))?.item
    return key === undefined ? [] : [[name, key] as const] // in the log's spelling
  })
  return new Map(found.flat())
}

interface Log {
  readonly log_workspace_id: string
  readonly from: Date
  readonly to: Date
}

/**
 * Entries of a vault's diagnostic log. Ours: an entry is this service's own if the caller is the application of the
 * vault's connection.
 */
const logEntries =
  ({ cloud_vault_id }: StoredCloudBVault, place: CloudBPlace, log: Log) =>
  async (cursor: string | undefined) => {
    const query = { ...log, cloud_vault_id, rows: ROWS_A_PAGE, cursor }
    const { entries, next } = await cloudB.logEntries(place, query)
    return {
      entries: entries.map(({ id, time, activity, key_name = '', user_name, client_id = '', failed_code }) => ({
        id: `${id} ${time}`,
        ref: key_name,
        activity,
        at: timeRead(time) ?? UNKNOWN_TIME, // milliseconds, like all other times, so that they sort
        user: user_name ?? client_id,
        isOurs: client_id === place.connection.client_id,
        error: failed_code,
      })),
      next,
    }
  }

/** Ours: the age of a key counts from its latest version. */
async function ageOf(domain: string, { key_vault_id, key_name, azure_created_at }: StoredCloudBKey) {
  const { length } = await recordsOf(cloudBKeys, domain, key_vault_id, key_name)
  return { ref: key_name, since: azure_created_at, isRotated: length > 1 }
}

const UNNAMED_LOG = new Refusal(
  'RULE_BROKEN',
  'No log workspace is named: it has what was done with the keys of the vault.',
)

/** A vault to report on, and its unique full name. */
interface Reporting {
  readonly container: ReportContainer
  readonly whole: string
}

/** The vault that one member of a body names. */
async function containerOf(
  context: Context,
  { key_vault, subscription_id, log_workspace_id }: ReportedVault,
  at: number,
): Promise<Reporting> {
  const isWhole = subscription_id === undefined || key_vault.includes('::') || Uuid.safeParse(key_vault).success
  const reference = isWhole ? key_vault : `${key_vault}::${subscription_id}`
  const field = { pointer: `#/cloud_b_params/${at}/key_vault`, detail: 'is no vault that you may see' }
  const { item: vault } = await findContainerFor(vaultKind, context, reference, 'reportcreate', field)
  if (subscription_id !== undefined && subscription_id !== vault.subscription_id) {
    const pointer = `#/cloud_b_params/${at}/subscription_id`
    throw ruleBroken('subscription_id', `must be that of the vault ${vault.name}`, pointer)
  }
  const container = {
    ...{ id: vault.id, name: vault.name, listed: vault.name, place: vault.region },
    ...defined({ source: log_workspace_id }),
  }
  return { container, whole: vaultKey(vault) }
}

/**
 * Outcomes are listed by name. Ours: if vaults or pools of one report share a name, each gets its full name,
 * `<name>::<subscription_id>` and the kind.
 */
function toldApart(all: readonly Reporting[]): ReportContainer[] {
  const isShared = ({ id, name }: ReportContainer): boolean =>
    all.some(({ container }) => container.id !== id && container.name.toLowerCase() === name.toLowerCase())
  return all.map(({ container, whole }) => (isShared(container) ? { ...container, name: whole } : container))
}

/** Reports on vaults of cloud-b. */
export const cloudBReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
  listedAs: 'key_vaults',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['key vault', 'key_vault'],
    ['key activity', 'key_activity'],
    ['tenant', 'tenant'],
    ['region', 'region'],
    ['modified date', 'modified_time'],
    ['user', 'user_name'],
    ['key expiration', 'key_expiration'],
    ['origin', 'origin'],
    ['cloud', 'cloud_name'],
  ],
  named: async (context, { cloud_b_params: params }) =>
    toldApart(await Promise.all(params.map((each, at) => containerOf(context, each, at)))),
  containersWith: containersWith(vaultKind, 'removing vaults'),
  open: async (domain, container, report, { now, budget }) => {
    const { id, source } = container
    const { item: vault } = await containerById(vaultKind, domain, id)
    const keys = {
      ...{ domain, keys: cloudBKeys, family: versionsIn(id), about: about(vault) },
      find: (names: readonly string[]) => latestOf(domain, id, names),
      isReported: ({ is_latest }: StoredCloudBKey) => is_latest,
    }
    const log = async () => {
      if (source === undefined) throw UNNAMED_LOG
      const place = await openVault(domain, vault, { now, budget, patience: 'job' })
      const span = { from: new Date(report.start_time), to: new Date(report.end_time) }
      return logEntries(vault, place, { log_workspace_id: source, ...span })
    }
    return reportOn(report, container, { now, budget }, { keys, ageOf: (key) => ageOf(domain, key), log })
  },
}
