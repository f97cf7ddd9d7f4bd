import { base64In } from '../../../base/base64.ts'
import { isObject, jsonOf } from '../../../base/json.ts'
import { keyAsOf } from '../../../vault/keys/lifecycle/key-state.ts'
import { recordsIn, type Inspector, type Maker, type Search } from '../../../vault/inspect/inspector.ts'
import { isKid, servedKeyId } from '../keys/kid.ts'
import { crmServedKeys } from '../keys/store.ts'
import { crmEndpoints } from './store.ts'

/** Compact serialization of a JWE, RFC 7516 §3.1. */
const JWE = /^([\w-]{1,2048})\.[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+$/

/** The `kid` in the header of a JWE. */
function kidIn(text: string): string | undefined {
  const header = jsonOf(base64In(JWE.exec(text)?.[1] ?? '')?.toString('utf8') ?? '')
  const kid = isObject(header) ? header.kid : undefined
  return typeof kid === 'string' && isKid(kid) ? kid : undefined
}

async function makerOf(
  { context, parts }: Search,
  endpoint: { readonly id: string; readonly name: string; readonly uri: string; readonly organization_id: string },
): Promise<Maker[]> {
  const { id, name, uri, organization_id: organization } = endpoint
  const kid = kidIn(parts.text)
  const served =
    kid === undefined ? undefined : await crmServedKeys.get(context.caller.domain.id, servedKeyId(organization, kid))
  if (served === undefined) return []
  const { kid: served_kid, local_key_id: local, destroyed } = served.item
  return [
    {
      endpoint: { kind: 'key endpoint', id, name, uri },
      key: { kind: 'cache-only key', id: served.item.key_id, name: served_kid, uri },
      local: { id: local },
      isInHeader: true,
      proves: () => undefined,
      obstacles: (version) => [
        ...(destroyed ? [`The cache-only key ${served_kid} was destroyed.`] : []),
        ...(keyAsOf(version, context.now).state === 'Active'
          ? []
          : [`The version ${version.version} of its source key is not active.`]),
      ],
      openers: () => [{ kind: "organization whose certificate's private key opens it", names: [organization] }],
    },
  ]
}

/**
 * Cache-only keys that were fetched. Ours: the organization's certificate encrypts them, so no key of this service can
 * authenticate one: an answer requires the endpoint, and relies on the header.
 */
export const fetchedKeys: Inspector = {
  kind: 'fetched cache-only key',
  hasForm: ({ text, iv, tag, metadata }) => (iv ?? tag ?? metadata) === undefined && kidIn(text) !== undefined,
  makers: async function* (search) {
    for await (const endpoints of recordsIn(crmEndpoints, search, 'ReadCrmKeyEndpoint'))
      for (const endpoint of endpoints) yield await makerOf(search, endpoint)
  },
}
