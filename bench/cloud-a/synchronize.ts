import { measureRefresh } from '../synchronize.ts'
import type { Figure } from '../figure.ts'
import { benchedCloudA } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureRefresh(benchedCloudA, 0.5)
