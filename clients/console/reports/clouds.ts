import { callTo } from '../calls.ts'
import { choicesOf } from '../clouds/choices.ts'
import type { Choice } from '../forms/fields.ts'
import { keymgr, read } from '../service.ts'
import { member, type ReportsRow } from './row.ts'

const A = '/v1/keymgr/cloud-a/reports'
const B = '/v1/keymgr/cloud-b/reports'
const C = '/v1/keymgr/cloud-c/reports'
const ALL = { limit: 1000 } as const

const isOfUses = ({ report_type }: Readonly<Record<string, string>>): boolean => report_type === 'key-report'

const kms = async () => (await read('/v1/keymgr/cloud-a/kms', { query: ALL })).resources

export const REPORT_ROWS: readonly ReportsRow[] = [
  {
    cloud: 'cloud-a',
    title: 'Cloud-a',
    list: (query, signal) => read(A, { query, signal }),
    get: (id, signal) => keymgr.get(`${A}/{id}`, { path: { id }, signal }),
    contents: (id, query, signal) => read(`${A}/{id}/contents`, { path: { id }, query, signal }),
    download: (id) => callTo('get', `${A}/{id}/download`, { path: { id } }),
    create: (body) => callTo('post', A, { body }),
    remove: (id) => callTo('delete', `${A}/{id}`, { path: { id } }),
    container: { title: 'KMS', of: member('kms') },
    filters: [
      { name: 'kms', label: 'KMS', values: 'text' },
      { name: 'key_arn', label: 'ARN', values: 'text' },
      { name: 'account_id', label: 'Account', values: 'text' },
    ],
    place: [
      {
        ...{ name: 'cloud_a_params/0/kms', label: 'KMS', isRequired: true },
        choices: async () => (await kms()).map(({ name }): Choice => ({ value: name })),
      },
      {
        ...{ name: 'cloud_a_params/0/region', label: 'Region', dependsOn: ['cloud_a_params/0/kms'] },
        choices: async (values) => {
          const chosen = (await kms()).find(({ name }) => name === values['cloud_a_params/0/kms'])
          return choicesOf(...(chosen?.regions ?? []))
        },
      },
      {
        ...{ name: 'cloud_a_params/0/log_group', label: 'Log group', isRequired: true, when: isOfUses },
        ...{ dependsOn: ['cloud_a_params/0/kms', 'cloud_a_params/0/region'] },
        hint: 'That the trail of the account writes to.',
      },
    ],
  },
  {
    cloud: 'cloud-b',
    title: 'Cloud-b',
    list: (query, signal) => read(B, { query, signal }),
    get: (id, signal) => keymgr.get(`${B}/{id}`, { path: { id }, signal }),
    contents: (id, query, signal) => read(`${B}/{id}/contents`, { path: { id }, query, signal }),
    download: (id) => callTo('get', `${B}/{id}/download`, { path: { id } }),
    create: (body) => callTo('post', B, { body }),
    remove: (id) => callTo('delete', `${B}/{id}`, { path: { id } }),
    container: { title: 'Vault', of: member('key_vault') },
    filters: [
      { name: 'key_vault', label: 'Vault', values: 'text' },
      { name: 'tenant', label: 'Tenant', values: 'text' },
    ],
    place: [
      {
        ...{ name: 'cloud_b_params/0/key_vault', label: 'Vault', isRequired: true },
        choices: async () =>
          (await read('/v1/keymgr/cloud-b/vaults', { query: ALL })).resources.map(({ name }) => ({ value: name })),
      },
      {
        ...{ name: 'cloud_b_params/0/log_workspace_id', label: 'Log workspace', isRequired: true, when: isOfUses },
        hint: 'The id of the workspace that the vault writes its log to.',
      },
      { name: 'cloud_b_params/0/subscription_id', label: 'Subscription', hint: 'Where it is not that of the vault.' },
    ],
  },
  {
    cloud: 'cloud-c',
    title: 'Cloud-c',
    list: (query, signal) => read(C, { query, signal }),
    get: (id, signal) => keymgr.get(`${C}/{id}`, { path: { id }, signal }),
    contents: (id, query, signal) => read(`${C}/{id}/contents`, { path: { id }, query, signal }),
    download: (id) => callTo('get', `${C}/{id}/download`, { path: { id } }),
    create: (body) => callTo('post', C, { body }),
    remove: (id) => callTo('delete', `${C}/{id}`, { path: { id } }),
    container: { title: 'Key ring', of: member('key_ring') },
    filters: [
      { name: 'key_ring', label: 'Key ring', values: 'text' },
      { name: 'project', label: 'Project', values: 'text' },
    ],
    place: [
      {
        ...{ name: 'cloud_c_params/0/key_ring', label: 'Key ring', isRequired: true },
        choices: async () =>
          (await read('/v1/keymgr/cloud-c/key-rings', { query: ALL })).resources.map(({ name }) => ({ value: name })),
      },
    ],
  },
]

/** The first one where an address names none. */
export const reportsOf = (cloud: string | undefined): ReportsRow | undefined =>
  cloud === undefined ? REPORT_ROWS[0] : REPORT_ROWS.find((each) => each.cloud === cloud)
