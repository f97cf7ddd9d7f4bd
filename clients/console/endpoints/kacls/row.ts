import { createKaclsEndpoint, listKaclsEndpoints, testKaclsPerimeter, updateKaclsEndpoint } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { callTo, type Call } from '../../calls.ts'
import { changesOf, filledFrom } from '../../forms/changes.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr, recordsAt } from '../../service.ts'
import type { AnswerOf, PathOf } from '../../../sdk/calls.ts'
import { ARCHIVABLE_STATES, archivable } from '../archivable.ts'
import type { PolicyRow, ProtocolRow } from '../row.ts'

type Endpoint = AnswerOf<'get', '/v1/keymgr/WorkspaceCSE/endpoints/{id}'>

const AT = '/v1/keymgr/WorkspaceCSE/endpoints'
const act = (path: PathOf<'post'>, { id }: Endpoint): Call => callTo('post', path, { path: { id } })

const CHANGED = described(updateKaclsEndpoint, [
  { name: 'endpoint_url_hostname', label: 'Host name' },
  { name: 'authenticationAud', label: 'Audiences of identity providers', hint: 'One on each line.' },
  { name: 'authorizationAud', label: 'Audiences of the suite', hint: 'One on each line.' },
  { name: 'cors', label: 'Origins of pages that may call', hint: 'One on each line.' },
  { name: 'allow_guest_access', label: 'Guests may call' },
  { name: 'allow_privileged_unwrap', label: 'Services may unwrap for migrations' },
])

const policy: PolicyRow<Endpoint> = {
  title: 'Perimeter',
  about: 'Decides each call after both tokens are found good: it is allowed where the rule allow holds.',
  load: async ({ id }, signal) => ({
    rego: await keymgr.get(`${AT}/{id}/perimeters`, { path: { id }, signal }),
    isDerived: false,
  }),
  save: ({ id }, rego) => callTo('put', `${AT}/{id}/perimeters`, { path: { id }, body: rego }),
  test: ({ id }, perimeter, input) =>
    callTo('post', `${AT}/{id}/perimeters/test`, {
      path: { id },
      body: { input, ...(perimeter !== undefined && { perimeter }) },
    }),
  replay: { load: () => import('./replay.tsx') },
  input: described(testKaclsPerimeter, [
    { name: 'input/operation', label: 'Operation', initial: 'unwrap' },
    { name: 'input/authentication/email', label: 'Address at the identity provider' },
    { name: 'input/authentication/workspace_email', label: 'Address in the suite, where it differs' },
    { name: 'input/authorization/email', label: 'Address that the suite authorizes' },
    { name: 'input/authorization/role', label: 'Role' },
    { name: 'input/authorization/resource_name', label: 'Resource' },
    { name: 'input/perimeter_id', label: 'Perimeter id' },
  ]),
  example: {
    operation: 'unwrap',
    authentication: { email: 'ann@example.test', claims: { hd: 'example.test' } },
    authorization: { email: 'ann@example.test', role: 'reader' },
  },
}

export const kacls: ProtocolRow<Endpoint> = {
  name: 'kacls',
  title: 'KACLS',
  noun: 'KACLS endpoint',
  about: 'An office suite calls them to wrap and unwrap the keys of documents, for its users.',
  uri: 'keymgr:kacls-endpoint',
  ...recordsAt(AT),
  summary: ({ id, uri, name, status, endpoint_url, kek_version, createdAt }) => ({
    ...{ id, uri, name, address: endpoint_url, key: `AES, version ${kek_version}`, createdAt },
    ...ARCHIVABLE_STATES[status],
  }),
  attributes: (endpoint) => [
    ['Address', endpoint.endpoint_url],
    ['Key', endpoint.kekName],
    ['Key version', endpoint.kek_version],
    ['Identity providers', endpoint.issuer.join(', ')],
    ['Audiences of them', endpoint.authenticationAud.join(', ')],
    ['Audiences of the suite', endpoint.authorizationAud?.join(', ')],
    ['Origins of pages', endpoint.cors?.join(', ')],
    ['Guests', endpoint.allow_guest_access ? 'May call' : 'Refused'],
    ['Privileged unwrap', endpoint.allow_privileged_unwrap ? 'On' : 'Off'],
    ['Archived', endpoint.archived_at],
  ],
  filters: filtersOf(listKaclsEndpoints, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'status', label: 'State', isFirst: true },
    { name: 'issuer', label: 'Identity provider' },
  ]),
  actions: [
    {
      ...{ name: 'rotate', title: 'Rotate', done: 'The endpoint has a new key version.' },
      about: 'Wraps with a new version of the key from now on. Former versions still unwrap.',
      applies: ({ status }) => status === 'Enabled',
      call: (endpoint) => act(`${AT}/{id}/rotate-key`, endpoint),
    },
    {
      ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The endpoint is changed.' },
      about: 'Changes who is let in.',
      fieldsFor: (endpoint) => filledFrom(CHANGED, endpoint),
      applies: ({ status }) => status !== 'Archived',
      call: (endpoint, body) =>
        callTo('patch', `${AT}/{id}`, {
          path: { id: endpoint.id },
          body: changesOf(filledFrom(CHANGED, endpoint), body),
        }),
    },
    ...archivable<Endpoint>((verb, endpoint) => act(`${AT}/{id}/${verb}`, endpoint)),
    {
      ...{ name: 'delete', title: 'Delete', done: 'The endpoint is deleted.' },
      about: 'Removes the endpoint. Documents whose keys it wrapped cannot be opened by it any more.',
      ends: { nameOf: ({ name }) => name },
      applies: ({ status }) => status === 'Archived',
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'add', title: 'Add a KACLS endpoint', about: 'Makes a key, and an address by which the suite uses it.' },
    fields: described(createKaclsEndpoint, [
      { name: 'name', label: 'Name' },
      { name: 'endpoint_url_hostname', label: 'Host name', hint: 'By which pages of the suite call.' },
      {
        ...{ name: 'issuer/0', label: 'Identity provider' },
        choices: async () =>
          (await firstOf('/v1/keymgr/WorkspaceCSE/issuers')).resources.map(({ id, name }) => ({
            value: id,
            label: name,
          })),
      },
      {
        ...{ name: 'authenticationAud', label: 'Audiences of identity providers' },
        hint: 'One on each line: the client ids by which users log in.',
      },
      { name: 'allow_guest_access', label: 'Guests may call' },
    ]),
    call: (body) => callTo('post', AT, { body }),
  },
  policy,
}
