import type { Figure } from '../figure.ts'
import { measureRefresh } from '../synchronize.ts'
import { benchedCloudD } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureRefresh(benchedCloudD, 0.6)
