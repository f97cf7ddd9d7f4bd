import type { CommandRow } from '../command.ts'

/** An option that several commands share. */
export interface SharedOption {
  readonly option: string
  readonly short?: string
  /** placeholder of the value; absent for an option without a value */
  readonly value?: string
  readonly enum?: readonly string[]
  readonly repeated?: true
  readonly about: string
}

export const FORMATS = ['table', 'json', 'yaml', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Options that select the service and the log-in. */
export const SESSION_OPTIONS = [
  { option: 'profile', value: 'name', about: 'the profile to use; KEYMGR_PROFILE, or the one logged in last' },
  { option: 'url', value: 'address', about: 'the service, such as https://keymgr.example.com/api; KEYMGR_URL' },
  { option: 'ca', value: 'file', about: 'certificates (PEM) of the authorities that the service may have; KEYMGR_CA' },
  { option: 'insecure-http', about: 'allows an address without TLS at another host' },
] as const satisfies readonly SharedOption[]

/** Shared options of every operation. */
export const SHARED_OPTIONS = [
  { option: 'output', short: 'o', value: 'format', enum: FORMATS, about: 'table on a terminal, json otherwise' },
  { option: 'columns', value: 'name,name', about: 'of a table or csv: these columns, such as name,labels.env' },
  { option: 'query', value: 'expression', about: 'JMESPath over the answer, before it is shown' },
  { option: 'all', about: 'of a list: every page' },
  { option: 'wait', about: 'waits until the job that was started has ended; its outcome is the exit code' },
  { option: 'yes', about: 'does not ask before what cannot be undone; only a terminal is asked' },
  { option: 'dry-run', about: 'changes nothing: asks for a preview where there is one, otherwise shows the call' },
  { option: 'out', value: 'file', about: 'writes the answer to a file' },
  { option: 'body', value: '@file|-', about: 'the whole body in JSON or YAML; options win over it' },
  {
    option: 'unset',
    value: 'field',
    repeated: true,
    about: 'sends null for a field, or for a member such as labels.env, which clears it',
  },
  { option: 'if-match', value: 'etag', about: 'changes the record only if it is still as last seen' },
  { option: 'idempotency-key', value: 'key', about: 'the same key twice makes one change, and answers the same' },
  { option: 'approval', value: 'id', about: 'makes the call that was approved: the id of the approval request' },
  { option: 'approval-reason', value: 'text', about: 'asks others to approve the call, where a rule wants that' },
  ...SESSION_OPTIONS,
  { option: 'help', short: 'h', about: 'this text' },
] as const satisfies readonly SharedOption[]

export type SharedName = (typeof SHARED_OPTIONS)[number]['option']

/** Options that only some commands have. */
const ONLY_FOR: Partial<Record<SharedName, (row: CommandRow) => boolean>> = {
  all: ({ isPage, method }) => isPage === true && method === 'GET',
  wait: ({ isJob }) => isJob === true,
  yes: ({ lost }) => lost !== undefined,
  'dry-run': ({ own, method }) => own === undefined && method !== 'GET',
  body: ({ sends }) => sends !== undefined,
  unset: ({ clearable }) => clearable !== undefined,
  'if-match': ({ headers }) => headers.includes('If-Match'),
  'idempotency-key': ({ headers }) => headers.includes('Idempotency-Key'),
  approval: ({ headers }) => headers.includes('X-Keymgr-Approval'),
  'approval-reason': ({ headers }) => headers.includes('X-Keymgr-Approval-Reason'),
}

/** The shared options of a command. */
export const sharedOptionsOf = (row: CommandRow): readonly (SharedOption & { readonly option: SharedName })[] =>
  SHARED_OPTIONS.filter(({ option }) => ONLY_FOR[option]?.(row) ?? true)
