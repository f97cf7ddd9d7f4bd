import { measureMemory } from '../synchronize-memory.ts'
import type { Figure } from '../figure.ts'
import { benchedCloudB } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureMemory(benchedCloudB)
