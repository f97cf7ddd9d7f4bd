import { createPublicKey, type KeyObject } from 'node:crypto'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../../toolkit/key-pairs.ts'
import { certify } from '../../toolkit/x509.ts'
import { DAY_MS, type HeldCertificate } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'

/** Generates the key at first use; simulators of this process share it for equal names and sizes. */
async function madeOf(state: CrmState, certificate: HeldCertificate): Promise<NonNullable<HeldCertificate['made']>> {
  if (certificate.made !== undefined) return certificate.made
  const { organizationId, developerName: commonName, keySize, createdAt, expiresAt } = certificate
  const key = await pooledRsa(`crm ${organizationId} ${commonName}`, keySize)
  const validity = { from: new Date(Math.min(createdAt, expiresAt - DAY_MS)), to: new Date(expiresAt) }
  const subject = { commonName, issuer: { commonName, key }, purpose: 'client', ...validity } as const
  certificate.made ??= { privateKey: pkcs8Of(key), pem: certify(subject, createPublicKey(key)) } // unless made meanwhile
  state.save('certificate', [certificate])
  return certificate.made
}

export const privateKeyIn = async (state: CrmState, certificate: HeldCertificate): Promise<KeyObject> =>
  privateKeyOf((await madeOf(state, certificate)).privateKey)

/** The certificate in PEM. */
export const pemOf = async (state: CrmState, certificate: HeldCertificate): Promise<string> =>
  (await madeOf(state, certificate)).pem
