import { createPublicKey } from 'node:crypto'
import { privateKeyIn } from '../certificates/keys.ts'
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
export async function publishedKeys(state: CrmState, organizationId: string): Promise<object> {
  const signing = state
    .credentials(organizationId)
    .flatMap(({ login, isExternal }) => (login.kind === 'jwt' && !isExternal ? [login.certificate] : []))
  const certificates = state.certificates(organizationId).filter(({ developerName }) => signing.includes(developerName))
  const keys = certificates.map(async (certificate) => ({
    ...createPublicKey(await privateKeyIn(state, certificate)).export({ format: 'jwk' }),
    ...{ kid: certificate.developerName, use: 'sig', alg: 'RS256' },
  }))
  return { keys: await Promise.all(keys) }
}
