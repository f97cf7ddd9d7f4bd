import type { Context } from '../../../http/context.ts'
import type { CloudAKms, CloudAKmsQuery } from './model.ts'
import { cloudAKms, type CloudAKmsRow } from './store.ts'
import { isKeymgrAdmin } from '../../../cloud/containers/acl.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { maySee } from '../find-kms.ts'
import { presentKms } from './present-kms.ts'

type Test = (row: CloudAKmsRow) => boolean

const usesOneOf =
  (connections: readonly string[]): Test =>
  ({ connection, connection_id }) =>
    [connection, connection_id].some((one) => one !== undefined && connections.includes(one))

/** The entries the caller may see. */
export async function listKms({ caller }: Context, query: CloudAKmsQuery): Promise<ResourceList<CloudAKms>> {
  const tests: Test[] = []
  if (!isKeymgrAdmin(caller)) tests.push((row) => maySee(caller, row))
  if (query.connection !== undefined) tests.push(usesOneOf(query.connection))
  return listed(cloudAKms, caller.domain.id, query, {
    served: 'all',
    filters: {
      id: query.id,
      account_id: query.account_id,
      cloud_name: query.cloud_name,
      status: query.status,
    },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    narrowedBy: tests.length > 0,
    present: ({ item }) => presentKms(item),
  })
}
