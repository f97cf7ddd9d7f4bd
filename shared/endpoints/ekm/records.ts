import type { Context } from '../../http/context.ts'
import type { EkmEndpoint } from './model.ts'
import type { StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { differences, without } from '../../base/fields.ts'
import { dialectOfPolicy, hashOfPolicy } from './policy-text.ts'

/** Prefix of the key's id in the address that the cloud calls (`key_path`). */
const KEY_PATH = '/api/v1/keymgr/ekm/endpoints/'

/** An endpoint as shown. Ours: `DESTROYED` is for endpoints that a crypto space makes, and there are none. */
export function presentEndpoint({ item, rev }: Stored<StoredEkmEndpoint>): Stored<EkmEndpoint> {
  const keyPath = `${KEY_PATH}${item.uri_kek_id}`
  return {
    item: {
      ...without(item, 'uri_kek_id', 'own_key', 'dialect'),
      keyURI: `https://${item.keyURIHostname}${keyPath}`,
      key_path: keyPath,
      state: item.enabled ? 'ENABLED' : 'DISABLED',
    },
    rev,
  }
}

const AUDITED = [
  'name',
  'keyURIHostname',
  'kekName',
  'kekID',
  'kekVersion',
  'enabled',
  'cvm_required_for_encrypt',
  'cvm_required_for_decrypt',
  'endpoint_type',
  'key_type',
  'algorithm',
  'raw_policy_enabled',
  'policy',
] as const satisfies readonly (keyof StoredEkmEndpoint)[]

/**
 * Ours: access-log records name a policy by its hash, and so does the record of its change. The text belongs to the
 * owner.
 */
const auditView = (endpoint: StoredEkmEndpoint | undefined): object =>
  endpoint === undefined
    ? {}
    : { ...endpoint, policy: { dialect: dialectOfPolicy(endpoint), hash: hashOfPolicy(endpoint) } }

/** Names the endpoint and its changed fields in the request's audit record. */
export function tellOf(
  { about }: Pick<Context, 'about'>,
  before: StoredEkmEndpoint | undefined,
  after: StoredEkmEndpoint | undefined,
): void {
  const { uri = '', name = '' } = after ?? before ?? {}
  about({
    uri,
    name,
    ...differences<Record<string, unknown>>({ ...auditView(before) }, { ...auditView(after) }, AUDITED),
  })
}
