import { resourceUri } from '../../base/ids.ts'
import { assertRules } from '../../http/request/parse.ts'
import { namedQuery } from '../../http/lists/list-query.ts'
import { namedOrId } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import { withGroupIds, withGroupNames } from '../keys/policies/permission-groups.ts'
import { CreateKeyTemplate, KeyTemplate, TEMPLATE_FIELDS, TEMPLATE_RULES, UpdateKeyTemplate } from './model.ts'
import { keyTemplates } from './store.ts'

/** Fields of the template that apply to keys. */
export const fieldsOf = (template: KeyTemplate): Partial<KeyTemplate> =>
  Object.fromEntries(Object.entries(template).filter(([field]) => Object.hasOwn(TEMPLATE_FIELDS, field)))

/** Defaults for new keys, which a body refers to by `templateId`. */
export const templates = resource({
  entity: keyTemplates,
  noun: 'key template',
  title: 'Key Template',
  at: '/v1/vault/templates',
  reads: 'key-users',
  changes: 'key-admins',
  answers: KeyTemplate,
  query: namedQuery(KeyTemplate),
  createBody: CreateKeyTemplate,
  updateBody: UpdateKeyTemplate,
  uri: (domain, id) => resourceUri(domain, 'vault', 'templates', id),
  find: namedOrId(keyTemplates),
  audited: ['name', 'algorithm', 'size', 'curveid', 'usageMask', 'unexportable', 'undeletable', 'objectType', 'state'],
  presentAll: (records, reader) => withGroupNames(reader, records),
  check: async (context, template, before) => {
    assertRules(TEMPLATE_RULES, fieldsOf(template))
    const meta = await withGroupIds(context, template.meta, before?.meta)
    return { ...template, ...(meta && { meta }) }
  },
})
