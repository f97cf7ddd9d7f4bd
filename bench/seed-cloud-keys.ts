import type { CloudService } from './cloud-service.ts'

/**
 * Creates keys at the cloud, and the records that a first synchronization would create: one key is synchronized, the
 * other records are copies of its record.
 */
export async function seedCloudKeys(service: CloudService, place: string, count: number): Promise<void> {
  await service.cloud.seed(place, 1)
  await service.synchronize(place)
  await service.cloud.seed(place, count)
  await service.recordKeys(place)
}
