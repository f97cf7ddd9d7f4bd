import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { ProtocolRow } from '../../endpoints/row.ts'
import { described, type Choice, type FieldRow } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { read, recordsAt } from '../../service.ts'
import { organizations } from './containers.ts'
import { createCrmKeyEndpoint, listCrmKeyEndpoints } from './described.ts'

const AT = '/v1/keymgr/crm/endpoints'
type Endpoint = AnswerOf<'get', '/v1/keymgr/crm/endpoints/{id}'>

const issuers = async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/keymgr/crm/issuers', { query: { limit: 1000 } })
  return resources.map(({ id: value, name: label }) => ({ value, label }))
}

/** Key endpoints of an organization, to choose from. */
export const endpointsOf = async ({ organization_id }: Readonly<Record<string, string>>) => {
  if (organization_id === undefined || organization_id === '') return []
  const { resources } = await read(AT, { query: { organization_id: [organization_id], limit: 1000 } })
  return resources.map(({ id: value, name: label }): Choice => ({ value, label }))
}

const isByPassword = ({ by }: Readonly<Record<string, string>>): boolean => by !== 'issuer'
const CALLER: readonly FieldRow[] = [
  {
    ...{ name: 'password_authentication/username', label: 'User name', isRequired: true },
    when: isByPassword,
  },
  {
    ...{ name: 'password_authentication/password', label: 'Password', kind: 'secret', isRequired: true },
    ...{ hint: 'At least 8 characters. The named credential has the same.', when: isByPassword },
  },
]

/** Key endpoints, at which the cloud fetches cache-only keys. */
export const ENDPOINTS: ProtocolRow<Endpoint> = {
  name: 'crm-keys',
  title: 'Crm key endpoints',
  noun: 'key endpoint',
  about: 'Crm fetches cache-only keys from them, which stay here.',
  uri: 'keymgr:crm-endpoint',
  ...recordsAt(AT),
  summary: ({ id, uri, name, url, organization_name, createdAt }) => ({
    ...{ id, uri, name, address: url, key: organization_name, createdAt, state: 'Serving', tone: 'good' as const },
  }),
  attributes: (endpoint) => [
    ['Address for the cloud', endpoint.url],
    ['Organization', endpoint.organization_name],
    ['User name', endpoint.password_authentication?.username],
    ['Issuer', endpoint.issuer_id],
  ],
  filters: filtersOf(listCrmKeyEndpoints, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'organization_name', label: 'Organization', isFirst: true },
    { name: 'crm_organization_id', label: 'Id of the organization at the cloud' },
  ]),
  actions: [
    {
      ...{ name: 'move', title: 'Change address', submit: 'Save', done: 'The address is changed.' },
      about: 'Changes the host name of the address. The endpoint goes on answering under the former one.',
      fieldsFor: ({ url_hostname }) => [
        { name: 'url_hostname', label: 'Host name', isRequired: true, initial: url_hostname },
      ],
      applies: () => true,
      call: ({ id }, body) => callTo('patch', `${AT}/{id}`, { path: { id }, body }),
    },
    {
      ...{ name: 'password', title: 'Replace password', submit: 'Save', done: 'The password is replaced.' },
      about: 'The cloud must send the new user name and password from the next call on.',
      fields: CALLER.map(({ when: _, ...field }) => field),
      applies: ({ password_authentication }) => password_authentication !== undefined,
      call: ({ id }, body) => callTo('patch', `${AT}/{id}`, { path: { id }, body }),
    },
    {
      ...{ name: 'issuer', title: 'Change issuer', submit: 'Save', done: 'The issuer is changed.' },
      about: 'Tokens of the new issuer are accepted from the next call on.',
      fields: [{ name: 'issuer_id', label: 'Issuer', isRequired: true, choices: issuers }],
      applies: ({ issuer_id }) => issuer_id !== undefined,
      call: ({ id }, body) => callTo('patch', `${AT}/{id}`, { path: { id }, body }),
    },
    {
      ...{ name: 'delete', title: 'Delete', done: 'The key endpoint is deleted.' },
      about: 'The cloud can no longer fetch keys at the address, and data becomes unreadable when its cache is empty.',
      ends: { nameOf: ({ name }) => name },
      applies: () => true,
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'add', title: 'Add a key endpoint' },
    about: 'Makes an address at which an organization fetches cache-only keys.',
    fields: [
      ...described(createCrmKeyEndpoint, [
        { name: 'name', label: 'Name' },
        { name: 'url_hostname', label: 'Host name', hint: 'Public, with a certificate that the cloud trusts.' },
        { name: 'organization_id', label: 'Organization', choices: organizations },
      ]),
      {
        ...{ name: 'by', label: 'The cloud proves its identity by', isRequired: true, initial: 'password' },
        choices: [
          { value: 'password', label: 'User name and password' },
          { value: 'issuer', label: 'Tokens of an issuer (OAuth 2)' },
        ],
      },
      ...CALLER,
      {
        ...{ name: 'issuer_id', label: 'Issuer', isRequired: true, choices: issuers },
        when: (values) => !isByPassword(values),
      },
    ],
    call: ({ by: _, ...body }) => callTo('post', AT, { body }),
  },
}
