import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import type { Deployment } from '../../infra/local/deployment.ts'

/** Every item of a deployment's table, as sorted texts: two calls give the same unless something was written. */
export async function itemsOf({ table: { endpoint, name } }: Deployment): Promise<string[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  const items: string[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: name }))
    items.push(...Items.map((item) => JSON.stringify(Object.entries(item).sort())))
  client.destroy()
  return items.sort()
}
