import type { Context } from '../../../http/context.ts'
import type { CloudAKey, CloudAKeyQuery } from './model.ts'
import { matchesPattern } from '../../../http/list-query.ts'
import { cloudAKeys, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { keysById, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import type { ResourceList } from '../../../http/listed.ts'
import { keyKind } from './key-kind.ts'
import { labelsTest } from '../../../http/selectors.ts'
import { entriesOf, entriesWithKeys, viewTest } from './visible-containers.ts'

type Test = (row: CloudAKeyRow) => boolean

const expiresBefore =
  (time: string): Test =>
  ({ valid_to }) =>
    valid_to !== undefined && Date.parse(valid_to) < Date.parse(time)

/** Tags that must all be there, as labels elsewhere. */
function tagsTest(selector: string): Test {
  const test = labelsTest(selector, 'tags')
  return ({ tags: labels }) => test({ labels })
}

/** The filters of a query that no field answers by itself. */
function testsOf(query: CloudAKeyQuery): Test[] {
  const tests: Test[] = []
  const add = <V>(wanted: V | undefined, test: (wanted: V, row: CloudAKeyRow) => boolean): void => {
    if (wanted !== undefined) tests.push((row) => test(wanted, row))
  }
  add(query.alias, (patterns, row) =>
    row.alias.some((alias) => patterns.some((pattern) => matchesPattern(pattern, alias))),
  )
  add(query.enabled, (flag, row) => row.enabled === flag)
  add(query.gone, (flag, row) => row.gone === flag)
  add(query.multi_region, (flag, row) => (row.multi_region ?? false) === flag)
  add(query.rotation_job_enabled, (flag, row) => (row.job_config_id !== undefined) === flag)
  if (query.tags !== undefined) tests.push(tagsTest(query.tags))
  if (query.expires_before !== undefined) tests.push(expiresBefore(query.expires_before))
  // Ours: only hosted keys are linked or blocked, or are not; any other key is neither, whatever is asked for.
  add(query.linked_state, (flag, row) => row.linked_state === flag)
  add(query.blocked, (flag, row) => row.blocked === flag)
  return tests
}

const CLOUD_ID = /^[A-Za-z0-9-]{1,64}$/
/** Ours: above that a walk over the rows costs less than asking every place. */
const PLACES_MOST = 200

const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1)

/** Keys with these ids at the cloud, wherever they live; `undefined` when that is too many places to look. */
async function byCloudId(
  domain: string,
  entries: readonly StoredCloudAKms[],
  cloudIds: readonly string[],
): Promise<Stored<StoredCloudAKey>[] | undefined> {
  const places = entries.flatMap(({ id, regions }) => regions.map((region) => placeOfKeys(id, region)))
  if (places.length > PLACES_MOST) return undefined
  const possible = [...new Set(cloudIds.filter((id) => CLOUD_ID.test(id)))]
  const found = await Promise.all(places.map((place) => cloudAKeys.membersBy(domain, place, possible)))
  return cloudAKeys.getMany(
    domain,
    found.flatMap((ids) => [...ids.values()]),
  )
}

/** Keys that ids mean, ours or the cloud's: read directly, whatever else there is. `undefined` when none are named. */
async function named(
  context: Context,
  { id: ids, keyid, arn }: CloudAKeyQuery,
  entries: readonly StoredCloudAKms[] | undefined,
): Promise<Stored<StoredCloudAKey>[] | undefined> {
  const domain = context.caller.domain.id
  if (ids !== undefined) return keysById(keyKind, domain, ids)
  const cloudIds = keyid ?? arn?.map(lastPart)
  return cloudIds && byCloudId(domain, entries ?? (await entriesWithKeys(context)), cloudIds)
}

/** Keys the caller may see. */
export async function listKeys(context: Context, query: CloudAKeyQuery): Promise<ResourceList<CloudAKey>> {
  const containers = await entriesOf(context, query)
  const tests = testsOf(query)
  const mayView = containers && (await viewTest(context, containers))
  if (mayView) tests.push(mayView)
  return listed(keyKind, context, query, {
    containers,
    direct: await named(context, query, containers),
    filters: {
      id: query.id,
      keyid: query.keyid,
      arn: query.arn,
      region: query.region,
      account_id: query.account_id,
      cloud_name: query.cloud_name,
      key_state: query.key_state,
      origin: query.origin,
      customer_master_key_spec: query.customer_master_key_spec,
      key_usage: query.key_usage,
      key_manager: query.key_manager,
      multi_region_key_type: query.multi_region_key_type,
      key_material_origin: query.key_material_origin,
      job_config_id: query.job_config_id,
      custom_key_store_id: query.custom_key_store_id,
      rotated_from: query.rotated_from,
    },
    tests,
    containerIdOf: ({ kms_id }) => kms_id,
    narrowBy: 'kms, createdAfter and createdBefore',
  })
}
