import { described } from '../../forms/fields.ts'
import { byName, change, deletion, type ResourceRow } from '../../resources/row.ts'
import { organizations } from './containers.ts'
import { createCrmCertificate, createCrmIssuer } from './described.ts'

const ISSUER = [
  { name: 'issuer', label: 'Issuer', hint: 'As in its tokens, character for character.' },
  { name: 'jwks_uri', label: 'Address of its key set' },
  { name: 'openid_config_url', label: 'Or: address of its configuration', hint: 'Names issuer and key set.' },
  { name: 'certificate', label: 'Or: certificate', kind: 'area', hint: 'PEM, in the place of a key set.' },
  { name: 'audience', label: 'Audience', hint: 'That tokens must be for; any without it.' },
] as const

/** Certificates of organizations, and issuers of the tokens with which the cloud fetches keys. */
export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'crm-certificates', title: 'Crm certificates', noun: 'certificate' },
    about: 'Certificates of organizations, which wrap the keys that crm gets. Their private keys are at the cloud.',
    path: '/v1/keymgr/crm/certificates',
    item: '/v1/keymgr/crm/certificates/{id}',
    columns: [
      ['organization_name', 'Organization'],
      ['key_size', 'Bits'],
      ['expires_at', 'Expires'],
      ['exportable', 'Exportable'],
      ['gone', 'Gone'],
    ],
    filters: [byName()],
    add: {
      title: 'Make a certificate',
      path: '/v1/keymgr/crm/certificates',
      fields: described(createCrmCertificate, [
        { name: 'organization_id', label: 'Organization', choices: organizations },
        { name: 'name', label: 'Name', hint: 'A letter first; letters, digits and single underscores.' },
        { name: 'exportable', label: 'Its private key can be exported', hint: 'Not for cache-only keys.' },
        { name: 'platform_encryption', label: 'Protected by platform encryption' },
      ]),
    },
    actions: [
      deletion('/v1/keymgr/crm/certificates/{id}', 'certificate', {
        about: 'Removes the record. The cloud keeps the certificate.',
      }),
    ],
    empty: 'No certificate is known. The page of an organization reads them.',
  },
  {
    ...{ name: 'crm-issuers', title: 'Crm issuers', noun: 'issuer' },
    about: 'Issuers of the tokens with which crm fetches cache-only keys.',
    path: '/v1/keymgr/crm/issuers',
    item: '/v1/keymgr/crm/issuers/{id}',
    columns: [
      ['issuer', 'Issuer'],
      ['audience', 'Audience'],
      ['scope_required', 'Scope required'],
    ],
    filters: [byName()],
    add: {
      title: 'Add an issuer',
      path: '/v1/keymgr/crm/issuers',
      fields: described(createCrmIssuer, [
        { name: 'name', label: 'Name' },
        ...ISSUER,
        { name: 'scope_required', label: 'Tokens need the scope' },
      ]),
    },
    actions: [
      change('/v1/keymgr/crm/issuers/{id}', 'issuer', [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'audience', label: 'Audience' },
        { name: 'scope_required', label: 'Tokens need the scope', kind: 'flag' },
      ]),
      deletion('/v1/keymgr/crm/issuers/{id}', 'issuer'),
    ],
    empty: 'No issuer is known. Key endpoints with a password need none.',
  },
]
