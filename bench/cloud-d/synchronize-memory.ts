import type { Figure } from '../figure.ts'
import { measureMemory } from '../synchronize-memory.ts'
import { benchedCloudD } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureMemory(benchedCloudD)
