import { createPublicKey } from 'node:crypto'
import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { eraseItem } from '../query/table.ts'
import type { HeldCredential } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'

export const credentialTable = eraseItem<HeldCredential>({
  name: 'NamedCredential',
  apis: ['data', 'tooling'],
  needs: 'ViewSetup',
  items: ({ state, organization }) => state.credentials(organization.id),
  fields: {
    Id: ({ id }) => id,
    DeveloperName: ({ developerName }) => developerName,
    MasterLabel: ({ masterLabel }) => masterLabel,
    Endpoint: ({ endpoint, isExternal }) => (isExternal ? null : endpoint),
    PrincipalType: ({ isExternal }) => (isExternal ? null : 'NamedUser'),
  },
})

/** The public keys with which an organization signs tokens of its callouts; newer credentials publish none. */
export function publishedKeys(state: CrmState, organizationId: string): object {
  const signing = state
    .credentials(organizationId)
    .flatMap(({ login, isExternal }) => (login.kind === 'jwt' && !isExternal ? [login.certificate] : []))
  const certificates = state.certificates(organizationId).filter(({ developerName }) => signing.includes(developerName))
  return {
    keys: certificates.map(({ developerName: kid, privateKey }) => ({
      ...createPublicKey(privateKeyOf(privateKey)).export({ format: 'jwk' }),
      ...{ kid, use: 'sig', alg: 'RS256' },
    })),
  }
}
