// Maps: panels whose axes are both in metres, at one scale.

const LEAST = 150;
const MOST = 420;
const MARGIN = 0.06;

// Returns how wide and high in metres, and how high in pixels, a map is on `width` pixels.
export function mapOf(layers, width) {
  const xs = [];
  const ys = [];
  for (const layer of layers) {
    (layer.x || []).forEach((x, index) => {
      const radius = layer.radius?.[index] ?? 0;
      xs.push(x - radius, x + radius);
      ys.push(layer.y[index] - radius, layer.y[index] + radius);
    });
  }
  const [wide, tall] = [xs, ys].map((values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { middle: (low + high) / 2, length: (high - low) * (1 + 2 * MARGIN) || 1 };
  });
  const height = Math.max(LEAST, Math.min(MOST, (tall.length / wide.length) * width));
  const metre = Math.min(width / wide.length, height / tall.length);
  const range = ({ middle }, pixels) => [
    middle - pixels / metre / 2, middle + pixels / metre / 2,
  ];
  return { x: range(wide, width), y: range(tall, height), height };
}

// Returns where on a course its mobile is at a time.
export function placeAt({ time_s: times, x, y }, at) {
  const next = times.findIndex((time) => time > at);
  if (next === 0) return [x[0], y[0]];
  if (next < 0) return [x[x.length - 1], y[y.length - 1]];
  const share = (at - times[next - 1]) / (times[next] - times[next - 1]);
  const between = (values) => values[next - 1] + share * (values[next] - values[next - 1]);
  return [between(x), between(y)];
}
