import { presentDomain } from '../../../shared/identity/domains/domains.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Domain } from '../../../shared/identity/domains/model.ts'

/** GET /v1/domain: the domain of the caller's token. */
export const getPresent = operation(
  { says: 'Get Present Domain', answers: Domain, may: 'signed-in' },
  async ({ context }) => {
    const { item, rev } = await presentDomain(context)
    return ok(item, rev)
  },
)
