import type { Context } from '../../http/context.ts'
import type { Connection, ConnectionQuery } from './model.ts'
import { connections, type ConnectionRow } from './store.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { labelsTest, metaTest } from '../../http/lists/selectors.ts'
import { presentConnection } from './present-connection.ts'

type Test = (row: ConnectionRow) => boolean

/** The filters that need more than a comparison of texts. Filters on the last test exclude untested connections. */
function testsOf(query: ConnectionQuery): Test[] {
  const { labels_query, meta_contains, last_connection_ok: ok } = query
  const { last_connection_after: after, last_connection_before: before } = query
  const tests: Test[] = []
  if (labels_query !== undefined) tests.push(labelsTest(labels_query, 'labels_query'))
  if (meta_contains !== undefined) tests.push(metaTest(meta_contains, 'meta_contains'))
  if (ok !== undefined) tests.push((row) => row.last_connection_ok === ok)
  const byTime = (test: (atMs: number) => boolean): void => {
    tests.push(({ last_connection_at: at }) => at !== undefined && test(Date.parse(at)))
  }
  if (after !== undefined) byTime((atMs) => atMs > Date.parse(after))
  if (before !== undefined) byTime((atMs) => atMs < Date.parse(before))
  return tests
}

/** A domain's connections. @param service default: all services */
export async function listConnections(
  context: Context,
  query: ConnectionQuery,
  service?: string,
): Promise<ResourceList<Connection>> {
  const tests = testsOf(query)
  return listed(connections, context.caller.domain.id, query, {
    served: service === undefined ? 'all' : `service:${service}`,
    filters: {
      id: query.id,
      service: query.service,
      category: query.category,
      cloud_name: query.cloud_name,
      products: query.products,
    },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    narrowBy: 'createdAfter and createdBefore',
    present: ({ item }) => presentConnection(item),
  })
}
