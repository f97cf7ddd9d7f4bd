import { createPrivateKey, type KeyObject } from 'node:crypto'
import { certify, issueCertificate, type Certificate, type Issued, type Issuer } from '../../toolkit/x509.ts'
import { uuidOf, type SimulatedAccount } from '../accounts/accounts.ts'
import { arnOf, type CloudName } from '../accounts/regions.ts'

/** An authority whose certificates an account accepts for its roles, and one certificate of it. */
export interface HeldTrust {
  readonly account: string
  readonly anchor: Issued
  readonly identity: Issued
}

/** ARNs of the trust anchor and of the profile, which names the roles; both are in one region. */
export interface TrustArns {
  readonly region: string
  readonly trustAnchorArn: string
  readonly profileArn: string
}

/** A valid identity, in the fields of a connection. */
export interface AnywhereIdentity {
  readonly anywhere_role_arn: string
  readonly certificate: string
  readonly private_key: string
  readonly profile_arn: string
  readonly trust_anchor_arn: string
}

/** Covers every time to which a test moves its clock. */
const VALID = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-12-31T00:00:00Z') }

const REGIONS: Readonly<Record<CloudName, string>> = {
  'cloud-a': 'eu-central-1',
  'cloud-a-gov': 'us-gov-west-1',
  'cloud-a-cn': 'cn-north-1',
}

const anchorName = (account: string): string => `Simulated authority of ${account}`

/** @returns finds the trust of an account; always the same, also after a restart */
export function createTrust(
  known: readonly HeldTrust[],
  note: (held: HeldTrust) => void,
): (account: string) => HeldTrust {
  const held = new Map(known.map((trust) => [trust.account, trust]))
  return (account) => {
    const found = held.get(account)
    if (found !== undefined) return found
    const anchor = issueCertificate({ commonName: anchorName(account), purpose: 'authority', ...VALID })
    const issuer = issuerOf({ account, anchor })
    const identity = issueCertificate({ commonName: 'keymgr', issuer, purpose: 'client', ...VALID })
    const made: HeldTrust = { account, anchor, identity }
    held.set(account, made)
    note(made)
    return made
  }
}

const issuerOf = ({ account, anchor }: Pick<HeldTrust, 'account' | 'anchor'>): Issuer => ({
  commonName: anchorName(account),
  key: createPrivateKey(anchor.key),
})

/** A certificate of an account's authority for another holder's key. PEM. */
export const certifyBy = (
  trust: HeldTrust,
  publicKey: KeyObject,
  content: Partial<Omit<Certificate, 'issuer'>>,
): string =>
  certify({ commonName: 'keymgr', purpose: 'client', ...VALID, ...content, issuer: issuerOf(trust) }, publicKey)

export function trustArnsOf({ id, cloud_name }: Pick<SimulatedAccount, 'id' | 'cloud_name'>): TrustArns {
  const region = REGIONS[cloud_name]
  const arn = (kind: string): string => arnOf('rolesanywhere', region, id, `${kind}/${uuidOf(`${kind} of ${id}`)}`)
  return { region, trustAnchorArn: arn('trust-anchor'), profileArn: arn('profile') }
}

/** @returns `undefined` for an account without a role for certificates */
export function anywhereIdentityOf(account: SimulatedAccount, trust: HeldTrust): AnywhereIdentity | undefined {
  const role = account.roles.find(({ anywhere }) => anywhere)
  const { trustAnchorArn, profileArn } = trustArnsOf(account)
  return (
    role && {
      anywhere_role_arn: role.arn,
      certificate: trust.identity.cert,
      private_key: trust.identity.key,
      profile_arn: profileArn,
      trust_anchor_arn: trustAnchorArn,
    }
  )
}
