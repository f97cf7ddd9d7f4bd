/** The environment of a function without the SDK; `shared/base/environment.ts` reads the same with a schema. */
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

/** @throws Error, a fault: the deployment is wrong, and no caller can cause that */
function told(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`The variable ${name} is not set`)
  return value
}

let read: SdklessEnvironment | undefined

/** Read once: the environment does not change while an instance lives. */
export function sdklessEnvironment(): SdklessEnvironment {
  if (read) return read
  const region = told('AWS_REGION')
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const endpoint = (service: 'dynamodb' | 'kms'): string =>
    process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || `https://${service}.${region}.${suffix}`
  read = {
    table: told('KEYMGR_TABLE'),
    rootKey: told('KEYMGR_ROOT_KEY'),
    region,
    endpoints: { dynamodb: endpoint('dynamodb'), kms: endpoint('kms') },
    credentials: {
      accessKeyId: told('AWS_ACCESS_KEY_ID'),
      secretAccessKey: told('AWS_SECRET_ACCESS_KEY'),
      sessionToken: process.env.AWS_SESSION_TOKEN,
    },
  }
  return read
}
