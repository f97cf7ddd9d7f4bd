import { needed, setting } from '../../base/environment.ts'

/** Settings of a function without the SDK: the addresses and credentials that an SDK client would find itself. */
export interface SdklessEnvironment {
  readonly table: string
  readonly rootKey: string
  readonly region: string
  readonly endpoints: { readonly dynamodb: string; readonly kms: string }
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken: string | undefined
  }
}

let read: SdklessEnvironment | undefined

/** Read once: the environment does not change while an instance lives. */
export function sdklessEnvironment(): SdklessEnvironment {
  if (read) return read
  const region = needed('AWS_REGION')
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const endpoint = (service: 'dynamodb' | 'kms'): string =>
    setting(`AWS_ENDPOINT_URL_${service.toUpperCase()}`) || `https://${service}.${region}.${suffix}`
  read = {
    table: needed('KEYMGR_TABLE'),
    rootKey: needed('KEYMGR_ROOT_KEY'),
    region,
    endpoints: { dynamodb: endpoint('dynamodb'), kms: endpoint('kms') },
    credentials: {
      accessKeyId: needed('AWS_ACCESS_KEY_ID'),
      secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
      sessionToken: setting('AWS_SESSION_TOKEN'),
    },
  }
  return read
}
