import { createDomain } from '../../../shared/identity/domains/domains.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateDomain, Domain } from '../../../shared/identity/domains/model.ts'

/** POST /v1/domains: a child domain with its own key, groups and administrators. */
export const create = operation(
  { says: 'Create Domain', body: CreateDomain, answers: Domain, status: 201, may: 'admins' },
  async ({ body, context }) => created(await createDomain(context, body), 1),
)
