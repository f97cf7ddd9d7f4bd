import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'

/** Filters that the keys of every cloud have. */
export const CLOUD_FILTERS: readonly FilterRow[] = [
  { name: 'key_material_origin', label: 'Material from', values: ['keymgr', 'native', 'unknown'] },
  { name: 'rotation_job_enabled', label: 'Rotated by a job', values: 'flag' },
  { name: 'gone', label: 'Gone at the cloud', values: 'flag' },
  { name: 'job_config_id', label: 'Job configuration id', values: 'text' },
]

/** Filters of every list. */
export const DATES: readonly FilterRow[] = [
  { name: 'createdAfter', label: 'Created after', values: 'time' },
  { name: 'createdBefore', label: 'Created before', values: 'time' },
  { name: 'id', label: 'Id', values: 'text' },
]

export const LOCAL_KEY: FieldRow = {
  name: 'source_key_identifier',
  label: 'Local key',
  isRequired: true,
  hint: 'Name or id of the local key whose material is uploaded.',
}
