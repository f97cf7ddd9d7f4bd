import { issuerKey, startIssuer, type Issuer, type IssuerKey } from './issuer.ts'

/** Issuer of the tokens with which a cloud calls EKM endpoints. */
export interface CloudIssuer {
  readonly issuer: Issuer
  readonly key: IssuerKey
  /** variables that make a deployment trust it */
  readonly environment: Readonly<Record<string, string>>
}

let started: Promise<CloudIssuer> | undefined

/** The only issuer of this process, which ends with the process. */
export const cloudIssuer = (): Promise<CloudIssuer> => (started ??= start())

async function start(): Promise<CloudIssuer> {
  const key = issuerKey('first')
  const issuer = await startIssuer(key)
  return {
    issuer,
    key,
    environment: {
      KEYMGR_EKM_ISSUER: issuer.name,
      KEYMGR_EKM_KEY_SET: issuer.keySet,
      KEYMGR_EKM_LOOPBACK: 'allowed',
    },
  }
}
