import type { FieldRow } from '../forms/fields.ts'
import type { DescribedFilter } from '../list/filters.tsx'

/** Filters for the keys of every cloud. */
export const CLOUD_FILTERS = [
  { name: 'key_material_origin', label: 'Material from' },
  { name: 'rotation_job_enabled', label: 'Rotated by a job' },
  { name: 'gone', label: 'Gone at the cloud' },
  { name: 'job_config_id', label: 'Job configuration id' },
] as const satisfies readonly DescribedFilter[]

/** Filters of every list. */
export const DATES = [
  { name: 'createdAfter', label: 'Created after' },
  { name: 'createdBefore', label: 'Created before' },
  { name: 'id', label: 'Id' },
] as const satisfies readonly DescribedFilter[]

export const LOCAL_KEY: FieldRow = {
  name: 'source_key_identifier',
  label: 'Local key',
  hint: 'Name or id of the local key whose material is uploaded.',
}
