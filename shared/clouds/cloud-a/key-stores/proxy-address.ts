import { defined } from '../../../base/fields.ts'
import { ruleBroken } from '../../../base/errors.ts'
import type { CloudAProxyAddress } from '../adapter/types.ts'
import type { StoredCustomKeyStore } from './store.ts'

/**
 * protocols of external key stores, section 1: endpoint, path and key id together. Key ids of ours are UUIDs, so that
 * whether every key will fit is known when the endpoint is.
 */
const ADDRESS_MOST = 241
const KEY_ID_LENGTH = 36

/** Where the cloud calls a store of ours; the function that answers there has this path below `/api`. */
export const proxyPathOf = (storeId: string): string =>
  `/api/v1/keymgr/cloud-a/xks-proxy-endpoints/${storeId}/kms/xks/v1`

const POINTER = '#/cloud_a_param/xks_proxy_uri_endpoint'

/** @throws Refusal RULE_BROKEN when no key could be called there */
export function assertFits(endpoint: string, path: string): void {
  const most = ADDRESS_MOST - KEY_ID_LENGTH - path.length
  if (endpoint.length <= most) return
  throw ruleBroken(
    'xks_proxy_uri_endpoint',
    `must have at most ${most} characters, so that the addresses of its keys are not too long for the cloud`,
    POINTER,
  )
}

/** A store's address as the cloud is told of it. */
export const proxyAddressOf = ({
  xks_proxy_uri_endpoint: endpoint = '',
  xks_proxy_uri_path: path = '',
  xks_proxy_connectivity: connectivity = 'PUBLIC_ENDPOINT',
  xks_proxy_vpc_endpoint_service_name: vpcServiceName,
}: StoredCustomKeyStore['cloud_a_param']): CloudAProxyAddress => ({
  endpoint,
  path,
  connectivity,
  ...defined({ vpcServiceName }),
})
