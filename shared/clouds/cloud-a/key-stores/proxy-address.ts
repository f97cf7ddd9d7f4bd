import { defined } from '../../../base/fields.ts'
import { ruleBroken } from '../../../base/errors.ts'
import type { CloudAProxyAddress } from '../adapter/types.ts'
import type { StoredCustomKeyStore } from './store.ts'

/**
 * Protocols of external key stores, section 1: the limit of endpoint, path and key id together. Our key ids are UUIDs
 * of constant length, so the endpoint alone decides whether every key fits.
 */
const ADDRESS_MOST = 241
const KEY_ID_LENGTH = 36

/** The path at which the cloud calls a store of keymgr, below `/api` of the proxy's function. */
export const proxyPathOf = (storeId: string): string =>
  `/api/v1/keymgr/cloud-a/xks-proxy-endpoints/${storeId}/kms/xks/v1`

const POINTER = '#/cloud_a_param/xks_proxy_uri_endpoint'

/** @throws Refusal RULE_BROKEN for an address that leaves too few characters for the paths of its keys */
export function assertFits(endpoint: string, path: string): void {
  const most = ADDRESS_MOST - KEY_ID_LENGTH - path.length
  if (endpoint.length <= most) return
  throw ruleBroken(
    'xks_proxy_uri_endpoint',
    `must have at most ${most} characters, so that the addresses of its keys are not too long for the cloud`,
    POINTER,
  )
}

/** A store's address for the cloud. */
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
