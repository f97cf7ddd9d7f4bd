import type { Context } from '../../../http/context.ts'
import type { CloudAKey, CloudAKeyQuery } from './model.ts'
import { matchesPattern } from '../../../http/list-query.ts'
import { cloudAKeys, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { labelsTest } from '../../../http/selectors.ts'
import { presentKey } from './records.ts'
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

const RECORD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
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
  if (ids !== undefined) return cloudAKeys.getMany(domain, [...new Set(ids.filter((id) => RECORD_ID.test(id)))])
  const cloudIds = keyid ?? arn?.map(lastPart)
  return cloudIds && byCloudId(domain, entries ?? (await entriesWithKeys(context)), cloudIds)
}

/** A page's keys as shown: what its containers know of the last synchronization is read once. */
async function presented(
  domain: string,
  { resources, ...page }: ResourceList<Stored<StoredCloudAKey>>,
): Promise<ResourceList<CloudAKey>> {
  const kms = await cloudAKms.getMany(domain, [...new Set(resources.map(({ item }) => item.kms_id))])
  const byId = new Map(kms.map(({ item }) => [item.id, item]))
  return { ...page, resources: resources.map((stored) => presentKey(stored, byId.get(stored.item.kms_id)).item) }
}

/** Keys the caller may see. Those of one container cost the same at any `skip`, and so do all of them. */
export async function listKeys(context: Context, query: CloudAKeyQuery): Promise<ResourceList<CloudAKey>> {
  const domain = context.caller.domain.id
  const entries = await entriesOf(context, query)
  const direct = await named(context, query, entries)
  const tests = testsOf(query)
  const mayView = entries && (await viewTest(context, entries))
  if (mayView) tests.push(mayView)
  if (entries && direct) tests.push(({ kms_id }) => entries.some(({ id }) => id === kms_id))
  const page = await listed(cloudAKeys, domain, query, {
    served: direct ? [] : (entries?.map(({ id }) => `kms:${id}`) ?? 'all'),
    ...(direct && { extraItems: direct }),
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
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    narrowBy: 'kms, createdAfter and createdBefore',
    present: (stored) => stored,
  })
  return presented(domain, page)
}
