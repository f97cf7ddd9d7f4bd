import { PolicyTemplate } from './model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'

export type StoredPolicyTemplate = PolicyTemplate

/** The family of the templates of a container, by their ids. */
export const templatesOfKms = (id: string): string => `kms:${id}`

/** Supported reads: a template by id; by name; all templates; those of a container. */
export const policyTemplates = entity({
  name: 'cloud-a-template',
  schema: PolicyTemplate,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, kms_id }): Family[] => (kms_id === undefined ? [] : [{ name: templatesOfKms(kms_id), key: id }]),
  row: ({ id, name, kms, kms_id, account_id, is_verified, createdAt, updatedAt }) => ({
    id,
    name,
    kms,
    kms_id,
    account_id,
    is_verified,
    createdAt,
    updatedAt,
  }),
})

/** Ids of the templates of a container, without those of its account. One read. */
export const templatesOf = (domain: string, kmsId: string): Promise<string[]> =>
  policyTemplates.members(domain, templatesOfKms(kmsId))
