/** How the cloud connects and authenticates to the proxy of an external key store. */
export interface ProxyConfiguration {
  readonly type: 'EXTERNAL_KEY_STORE'
  readonly connectivity: 'PUBLIC_ENDPOINT' | 'VPC_ENDPOINT_SERVICE'
  /** `https://<host>`, always port 443 */
  readonly endpoint: string
  /** Ends in `/kms/xks/v1`. */
  readonly path: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** VPC endpoint service and the account that owns it. */
  readonly serviceName: string | undefined
  readonly serviceOwner: string | undefined
}

/** Access to a hardware cluster. */
export interface ClusterConfiguration {
  readonly type: 'AWS_CLOUDHSM'
  readonly clusterId: string
  readonly password: string
  readonly trustAnchor: string
}

export type ConnectionState = 'CONNECTED' | 'CONNECTING' | 'DISCONNECTED' | 'DISCONNECTING' | 'FAILED'

/** Result of connecting or disconnecting. */
export type Outcome = Pick<Connection, 'state' | 'errorCode'>

/** Connection of a key store. */
export interface Connection {
  readonly state: ConnectionState
  /** Only of a store that has FAILED. */
  readonly errorCode?: string | undefined
  /** The state after a transitional one, determined when that began. */
  readonly next?: Outcome
  readonly since: number
  readsLeft: number
}

/** A permanent state. */
export const standing = (state: ConnectionState, since: number): Connection => ({ state, since, readsLeft: 0 })

/** A custom key store of one account and region. */
export interface HeldKeyStore {
  readonly id: string
  readonly account: string
  readonly region: string
  /** In milliseconds. */
  readonly createdAt: number
  name: string
  backing: ProxyConfiguration | ClusterConfiguration
  connection: Connection
}

/** `CustomKeyStoresListEntry`, without password and secret. */
export function describeKeyStore({ id, name, createdAt, backing, connection }: HeldKeyStore): object {
  return {
    CustomKeyStoreId: id,
    CustomKeyStoreName: name,
    CustomKeyStoreType: backing.type,
    ConnectionState: connection.state,
    ...(connection.errorCode !== undefined && { ConnectionErrorCode: connection.errorCode }),
    CreationDate: createdAt / 1000,
    ...backingPart(backing),
  }
}

function backingPart(backing: HeldKeyStore['backing']): object {
  if (backing.type === 'AWS_CLOUDHSM') {
    return { CloudHsmClusterId: backing.clusterId, TrustAnchorCertificate: backing.trustAnchor }
  }
  const { connectivity, endpoint, path, accessKeyId, serviceName, serviceOwner } = backing
  return {
    XksProxyConfiguration: {
      Connectivity: connectivity,
      AccessKeyId: accessKeyId,
      UriEndpoint: endpoint,
      UriPath: path,
      ...(serviceName !== undefined && { VpcEndpointServiceName: serviceName, VpcEndpointServiceOwner: serviceOwner }),
    },
  }
}
