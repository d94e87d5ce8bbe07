//! What was measured of failure detectors, as JSON.

use super::HOPS_AN_HOUR;
use crate::args::DetectorsArgs;
use bellwether_lab::Ratio;
use bellwether_lab::batch::Figures;
use bellwether_lab::detection::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// All figures as JSON.
pub fn as_json(args: &DetectorsArgs, rows: &[Row]) -> impl Serialize {
    Measured {
        seed: args.seed,
        watches: args.runs,
        hops: args.hops,
        hops_an_hour: HOPS_AN_HOUR as u64,
        rows: rows.iter().map(RowObject::new).collect(),
    }
}

#[derive(Serialize)]
struct Measured {
    seed: u64,
    watches: u64,
    hops: u64,
    hops_an_hour: u64,
    rows: Vec<RowObject>,
}

#[derive(Serialize)]
struct RowObject {
    detector: &'static str,
    parameters: BTreeMap<&'static str, f64>,
    delay: String,
    loss: f64,
    observed: f64,
    detected: u64,
    detection_time: Option<Figures>,
    mistakes: u64,
    mistakes_per_hour: Ratio,
    mistake_recurrence: Option<f64>,
    mistake_duration: Option<Ratio>,
    good_period: Option<f64>,
    query_accuracy: f64,
    signals_per_hop: f64,
    closed_form: Option<TheoryObject>,
}

#[derive(Serialize)]
struct TheoryObject {
    detection_time: f64,
    mistakes_per_hour: f64,
    mistake_duration: Option<f64>,
    query_accuracy: f64,
}

impl RowObject {
    fn new(row: &Row) -> RowObject {
        let quality = &row.quality;
        let an_hour = |rate: Ratio| Ratio {
            value: rate.value * HOPS_AN_HOUR,
            std_error: rate.std_error * HOPS_AN_HOUR,
        };
        RowObject {
            detector: row.cell.choice.entry().name,
            parameters: row.cell.settings().into_iter().collect(),
            delay: row.cell.conditions.delay.to_string(),
            loss: row.cell.conditions.loss,
            observed: quality.observed,
            detected: quality.detected,
            detection_time: quality.detection_time.map(Figures::from),
            mistakes: quality.mistakes,
            mistakes_per_hour: an_hour(quality.mistake_rate),
            mistake_recurrence: quality.mistake_recurrence(),
            mistake_duration: quality.mistake_duration,
            good_period: quality.good_period(),
            query_accuracy: quality.accuracy(),
            signals_per_hop: quality.signals.value,
            closed_form: row.closed_form.map(|closed| TheoryObject {
                detection_time: closed.detection_time,
                mistakes_per_hour: closed.mistake_rate * HOPS_AN_HOUR,
                mistake_duration: closed.mistake_duration,
                query_accuracy: 1.0 - closed.wrong,
            }),
        }
    }
}
