import type { Context } from '../../../http/context.ts'
import type { CloudAKey, CloudAKeyQuery } from './model.ts'
import { patternTest } from '../../../http/lists/patterns.ts'
import { cloudAKeys, hostedKeysFrom, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { keyKind } from './kind.ts'
import { LOCAL_KEY_ID } from '../../../base/ids.ts'
import { usersOfVersions } from '../../../cloud/keys/key-users.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { labelsTest } from '../../../http/lists/selectors.ts'
import { entriesOf, entriesWithKeys, viewTest } from './visible-containers.ts'

type Test = (row: CloudAKeyRow) => boolean

const expiresBefore =
  (time: string): Test =>
  ({ valid_to }) =>
    valid_to !== undefined && Date.parse(valid_to) < Date.parse(time)

/** Tests that a key has all of these tags, as with labels elsewhere. */
function tagsTest(selector: string): Test {
  const test = labelsTest(selector, 'tags')
  return ({ tags: labels }) => test({ labels })
}

/** Filters without a field of the same name, and `kms` and `kms_id`, which select the containers. */
const OWN = ['kms', 'kms_id', 'alias', 'multi_region', 'tags', 'expires_before', 'local_key_id']

/** Tests of these filters. Ours: the filters for linked and blocked keys match only hosted keys. */
function testsOf({ alias: patterns, multi_region: isMulti, tags, expires_before: end }: CloudAKeyQuery): Test[] {
  const tests: Test[] = []
  if (patterns !== undefined) {
    const isAlias = patternTest(patterns)
    tests.push(({ alias }) => alias.some(isAlias))
  }
  if (isMulti !== undefined) tests.push(({ multi_region = false }) => multi_region === isMulti)
  if (tags !== undefined) tests.push(tagsTest(tags))
  if (end !== undefined) tests.push(expiresBefore(end))
  return tests
}

const CLOUD_ID = /^[A-Za-z0-9-]{1,64}$/
/** Ours: for more places, reading all rows costs less than one read for each place. */
const PLACES_MOST = 200

const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1)

/** Keys with these ids at the cloud, in any place; `undefined` when there are too many places to read. */
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
    'salvage',
  )
}

/** Keys with material of these versions of local keys, and hosted keys whose present source is one of them. */
async function fromLocal(domain: string, localKeyIds: readonly string[]): Promise<Stored<StoredCloudAKey>[]> {
  const ids = localKeyIds.filter((id) => LOCAL_KEY_ID.test(id))
  const sources = await localKeys.getMany(domain, [...new Set(ids)], 'leave out')
  const hosted = await Promise.all(sources.map(({ item }) => cloudAKeys.members(domain, hostedKeysFrom(item.name))))
  const over = await cloudAKeys.getMany(domain, [...new Set(hosted.flat())], 'leave out')
  const present = over.filter(({ item: { local_key_id: id } }) => id !== undefined && ids.includes(id))
  const found = [...(await usersOfVersions(cloudAKeys, domain, ids)), ...present.map(({ item }) => item.id)]
  return cloudAKeys.getMany(domain, [...new Set(found)], 'salvage')
}

/** Keys given by ids of the cloud or of local keys, read directly however many keys there are. `undefined` when none are given. */
async function named(
  context: Context,
  { id, keyid, arn, local_key_id: local }: CloudAKeyQuery,
  entries: readonly StoredCloudAKms[] | undefined,
): Promise<Stored<StoredCloudAKey>[] | undefined> {
  const domain = context.caller.domain.id
  if (local !== undefined) return fromLocal(domain, local)
  const cloudIds = keyid ?? arn?.map(lastPart)
  if (id !== undefined || cloudIds === undefined) return undefined
  return byCloudId(domain, entries ?? (await entriesWithKeys(context)), cloudIds)
}

/** Keys that the caller may see. */
export async function listKeys(context: Context, query: CloudAKeyQuery): Promise<ResourceList<CloudAKey>> {
  const containers = await entriesOf(context, query)
  const tests = testsOf(query)
  const mayView = containers && (await viewTest(context, containers))
  if (mayView) tests.push(mayView)
  return listed(keyKind, context, query, {
    containers,
    direct: await named(context, query, containers),
    own: OWN,
    tests,
    narrowBy: 'kms, createdAfter and createdBefore',
  })
}
