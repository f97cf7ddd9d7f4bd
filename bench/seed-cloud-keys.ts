import type { CloudService } from './cloud-service.ts'

/**
 * Keys at the cloud, and the records of them that a first synchronization would leave: one key is synchronized, the
 * other records are like its.
 */
export async function seedCloudKeys(service: CloudService, place: string, count: number): Promise<void> {
  await service.cloud.seed(place, 1)
  await service.synchronize(place)
  await service.cloud.seed(place, count)
  await service.recordKeys(place)
}
