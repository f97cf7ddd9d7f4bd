import {
  createEkmEndpoint,
  listEkmEndpoints,
  testEkmAttestation,
  testEkmEndpointPolicy,
  updateEkmEndpointPolicy,
} from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { callTo, type Call } from '../../calls.ts'
import { filledFrom } from '../../forms/changes.ts'
import { choicesOf, described, type FieldRow, type Values } from '../../forms/fields.ts'
import { labelOf } from '../../resources/shown.ts'
import { keymgr, recordsAt } from '../../service.ts'
import type { AttributeRow } from '../../words/attributes.tsx'
import type { AnswerOf, PathOf } from '../../../sdk/calls.ts'
import type { PolicyRow, ProtocolRow } from '../row.ts'
import { RESOURCES } from './resources.ts'

type Endpoint = AnswerOf<'get', '/v1/keymgr/ekm/endpoints/{id}'>

const AT = '/v1/keymgr/ekm/endpoints'
const REASONS = updateEkmEndpointPolicy['basic/justification_reason'].words
const SIGNING = createEkmEndpoint.algorithm.words.filter((algorithm) => algorithm.includes('_SIGN_'))
const isRaw = ({ raw_policy_enabled }: Values): boolean => raw_policy_enabled === 'true'

/** The rules of a basic policy. @param at pointer to them in the body */
const basic = (at: string, when?: (values: Values) => boolean): readonly FieldRow[] => {
  const shown = (also: (values: Values) => boolean = () => true): Pick<FieldRow, 'when'> => ({
    when: (values) => (when?.(values) ?? true) && also(values),
  })
  const isReasonRequired = (values: Values): boolean => values[`${at}/justification_required`] === 'true'
  const reasons = (isRequired: boolean): FieldRow => ({
    ...{ name: `${at}/justification_reason`, label: 'Reasons', isRequired },
    ...shown((values) => isReasonRequired(values) === isRequired),
    hint: `Those that are accepted, one on each line, of ${REASONS.join(', ')}.`,
  })
  return [
    {
      ...{ name: `${at}/clients`, label: 'Callers', isRequired: true, ...shown() },
      hint: 'Addresses of service accounts, one on each line.',
    },
    { name: `${at}/justification_required`, label: 'Callers must give a reason', ...shown() },
    reasons(true),
    reasons(false), // a call without a reason is allowed, but one with another reason is not
  ]
}
const BASIC = described(updateEkmEndpointPolicy, basic('basic'))

const EVIDENCE = described(testEkmAttestation, [
  { name: 'evidence', label: 'Evidence', kind: 'area', hint: 'The attestation message in base64.' },
  { name: 'nonce', label: 'Nonce', hint: 'In base64; none is compared without it.' },
  { name: 'at', label: 'Day on which certificates must be valid', hint: 'Today without it.' },
  { name: 'input/operation', label: 'Operation' },
  { name: 'input/clients', label: 'Caller', hint: 'The address of a service account.' },
  { name: 'input/justificationReason', label: 'Reason', choices: choicesOf(...REASONS) },
])

type Verdict = AnswerOf<'post', '/v1/keymgr/ekm/endpoints/{id}/attestation/test'>

const verdictOf = ({ proved, refused, policy: { allow, rule } }: Verdict): readonly AttributeRow[] => [
  ['Evidence', refused.length === 0 ? 'Accepted' : 'Refused'],
  ...refused.map(({ step, reason }): AttributeRow => [`Refused at the step ${step}`, reason]),
  ...Object.entries(proved).map(([fact, value]): AttributeRow => [labelOf(fact), String(value)]),
  ['The endpoint', `${allow ? 'Allows' : 'Refuses'} the call by the rule ${rule}`],
]

/** The service replaces the whole policy, so rules without a field are sent unchanged. */
const changedPolicy = (
  { policy: { basic: now } }: Endpoint,
  body: Record<string, unknown>,
): Record<string, unknown> => ({
  basic: { ...now, justification_required: false, justification_reason: [], ...(body.basic as object | undefined) },
})

const act = (path: PathOf<'post'>, { id }: Endpoint): Call => callTo('post', path, { path: { id } })
const isLive = ({ state }: Endpoint): boolean => state !== 'DESTROYED'

const policy: PolicyRow<Endpoint> = {
  title: 'Policy',
  about: 'Decides each call: it is allowed where the rule allow holds.',
  load: async ({ id, raw_policy_enabled }, signal) => {
    const { raw_policy } = await keymgr.get(`${AT}/{id}/policies`, { path: { id }, signal })
    return { rego: raw_policy, isDerived: !raw_policy_enabled }
  },
  save: ({ id }, rego, { isDerived }) =>
    isDerived
      ? callTo('patch', `${AT}/{id}`, { path: { id }, body: { raw_policy_enabled: true, policy: { rego } } })
      : callTo('patch', `${AT}/{id}/policies`, { path: { id }, body: { rego } }),
  test: ({ id }, rego, input) =>
    callTo('post', `${AT}/{id}/policy/test`, {
      path: { id },
      body: { input, ...(rego !== undefined && { raw_policy_enabled: true, policy: { rego } }) },
    }),
  input: described(testEkmEndpointPolicy, [
    { name: 'input/clients', label: 'Caller', hint: 'The address of a service account.' },
    { name: 'input/operation', label: 'Operation', initial: 'wrap' },
    { name: 'input/justificationReason', label: 'Reason', choices: choicesOf(...REASONS) },
    { name: 'input/resourceName', label: 'Resource' },
    { name: 'input/attestation/instance_name', label: 'Attested instance' },
    { name: 'input/attestation/project_id', label: 'Attested project' },
    { name: 'input/attestation/zone', label: 'Attested zone' },
  ]),
  example: {
    clients: 'service-1234@gcp-sa-ekms.iam.gserviceaccount.com',
    operation: 'wrap',
    justificationReason: 'CUSTOMER_INITIATED_ACCESS',
  },
}

export const ekm: ProtocolRow<Endpoint> = {
  name: 'ekm',
  title: 'EKM',
  noun: 'EKM endpoint',
  about: 'Cloud-c calls them to wrap, unwrap and sign with keys that stay here.',
  uri: 'keymgr:ekm-endpoint',
  ...recordsAt(AT),
  summary: ({ id, uri, name, state, keyURI, algorithm, createdAt }) => ({
    ...{ id, uri, name, address: keyURI, key: algorithm, createdAt },
    ...(state === 'ENABLED'
      ? { state: 'Enabled', tone: 'good' }
      : state === 'DISABLED'
        ? { state: 'Disabled', tone: 'quiet' }
        : { state: 'Destroyed', tone: 'bad' }),
  }),
  attributes: (endpoint) => [
    ['Address', endpoint.keyURI],
    ['Key', endpoint.kekName],
    ['Key version', endpoint.kekVersion],
    ['Algorithm', endpoint.algorithm],
    ['Kind', endpoint.endpoint_type === 'ekm-ude' ? 'Ubiquitous data encryption' : 'External key manager'],
    ['Confidential machines alone', needsOf(endpoint)],
    ['Policy', endpoint.raw_policy_enabled ? 'Rego' : 'Basic'],
    ['Callers', endpoint.policy.basic?.clients.join(', ')],
    ['Reasons', endpoint.policy.basic?.justification_reason?.join(', ')],
    ['Attested instances', endpoint.policy.basic?.attestation_instance_names?.join(', ')],
    ['Attested projects', endpoint.policy.basic?.attestation_project_ids?.join(', ')],
    ['Attested zones', endpoint.policy.basic?.attestation_zones?.join(', ')],
  ],
  filters: filtersOf(listEkmEndpoints, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'enabled', label: 'Enabled', isFirst: true },
    { name: 'key_type', label: 'Key', isFirst: true },
    { name: 'endpoint_type', label: 'Kind' },
    { name: 'algorithm', label: 'Algorithm' },
    { name: 'keyURIHostname', label: 'Host name' },
    { name: 'cryptospace_id', label: 'Crypto space' },
  ]),
  actions: [
    {
      ...{ name: 'rotate', title: 'Rotate', done: 'The endpoint has a new key version.' },
      about: 'Wraps with a new version of the key from now on. The address stays, and former versions still unwrap.',
      applies: (endpoint) => endpoint.state === 'ENABLED' && endpoint.key_type === 'symmetric',
      call: (endpoint) => act(`${AT}/{id}/rotate`, endpoint),
    },
    {
      ...{ name: 'enable', title: 'Enable', done: 'The endpoint answers again.' },
      about: 'Lets the endpoint answer again.',
      applies: ({ state }) => state === 'DISABLED',
      call: (endpoint) => act(`${AT}/{id}/enable`, endpoint),
    },
    {
      ...{ name: 'disable', title: 'Disable', done: 'The endpoint refuses every call.' },
      about: 'Refuses every call until it is enabled again.',
      applies: ({ state }) => state === 'ENABLED',
      call: (endpoint) => act(`${AT}/{id}/disable`, endpoint),
    },
    {
      ...{ name: 'policy', title: 'Change the basic policy', submit: 'Save', done: 'The policy is changed.' },
      about: 'Says who may call, and for which reasons.',
      fieldsFor: ({ policy: { basic: now } }) => filledFrom(BASIC, { basic: now }),
      applies: (endpoint) => isLive(endpoint) && !endpoint.raw_policy_enabled,
      call: (endpoint, body) =>
        callTo('patch', `${AT}/{id}/policies`, { path: { id: endpoint.id }, body: changedPolicy(endpoint, body) }),
    },
    {
      ...{ name: 'attest', title: 'Test evidence', submit: 'Test', done: 'The evidence is tested.' },
      about: 'Verifies evidence of a machine as a session does, and decides a call from it. Nothing is stored.',
      fields: EVIDENCE,
      applies: ({ endpoint_type }) => endpoint_type === 'ekm-ude',
      call: ({ id }, body) => callTo('post', `${AT}/{id}/attestation/test`, { path: { id }, body }),
      shows: (answer) => verdictOf(answer as Verdict), // type of the described answer
    },
    {
      ...{ name: 'delete', title: 'Delete', done: 'The endpoint is deleted.' },
      about: 'Removes the endpoint.',
      applies: ({ state }) => state !== 'ENABLED',
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'add', title: 'Add an EKM endpoint', about: 'Makes a key, and an address by which cloud-c uses it.' },
    fields: described(createEkmEndpoint, [
      { name: 'name', label: 'Name' },
      { name: 'keyURIHostname', label: 'Host name', hint: 'By which cloud-c reaches this service.' },
      { name: 'key_type', label: 'Key', isRequired: true, initial: 'symmetric' },
      {
        ...{ name: 'algorithm', label: 'Algorithm', choices: choicesOf(...SIGNING) },
        when: ({ key_type }) => key_type === 'asymmetric',
      },
      { name: 'existing_key_id', label: 'Local key', hint: 'A new key is made where it is left empty.' },
      { name: 'raw_policy_enabled', label: 'The policy is written in Rego' },
      ...basic('policy/basic', (values) => !isRaw(values)),
      { name: 'policy/rego', label: 'Policy', kind: 'area', isRequired: true, when: isRaw },
    ]),
    call: (body) => callTo('post', AT, { body }),
  },
  policy,
  more: RESOURCES,
}

const needsOf = ({ cvm_required_for_encrypt, cvm_required_for_decrypt }: Endpoint): string =>
  [cvm_required_for_encrypt && 'to wrap', cvm_required_for_decrypt && 'to unwrap'].filter(Boolean).join(', ') || 'No'
